import { expect, it } from 'vitest'
import { uploadForm } from '#native/web-upload-form.ts'

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
