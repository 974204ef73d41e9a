import { expect, it } from 'vitest'
import { findOnPages } from '#native/testing/examine.ts'
import { isForSharing, uploadForm } from '#native/web/upload-form.ts'

const form =
  '<form action="upload" method="POST" enctype="multipart/form-data"><input name="files" type="file" multiple></form>'

it('finds the file field of an upload form', () => {
  expect(uploadForm(form)).toBe('<input name="files" type="file" multiple>')
})

it.each([
  ['a form with a password', `${form}<input type="password" name="p">`],
  ['a form that is sent with GET', form.replace('POST', 'GET')],
  ['a form without a file', form.replace('"file"', '"text"')],
  ['no form', '<input type="file">'],
])('ignores %s', (_, html) => {
  expect(uploadForm(html)).toBeUndefined()
})

it.each([
  ['<title>File Upload</title>', true],
  ['<h1>Upload files</h1>', true],
  ['<title>Acme file server</title>', true],
  ['<title>Apply for a job</title><h1>Upload your photo of the year</h1>', false],
  ['<title>Send a file</title>', true],
  ['<h1>Share files with colleagues</h1>', true],
  ['<title>Share the file of evidence</title>', false],
  ['<title>Shop</title>', false],
])('recognizes a server for uploads by %s: %s', (html, expected) => {
  expect(isForSharing(html)).toBe(expected)
})

it('finds the form on a page that the start page links to', async () => {
  const found = await findOnPages({ '/': '<h1>Share files</h1><a href="/new">Upload</a>', '/new': form })
  expect(found).toContain('file-upload-form-open')
})
