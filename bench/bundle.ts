/** Measures the JavaScript that a browser loads until the overview is usable. */
import { scriptsOf } from '../e2e/bundle.ts'
import { nora, startTestEnvironment } from '../e2e/test-environment.ts'

const environment = await startTestEnvironment('bundle')
try {
  await environment.visitor.signUp(nora, environment.product.dataFolder)
  const { files, bytes } = await scriptsOf(await environment.newPageOfNora(), '/overview')
  console.log(
    JSON.stringify({ figure: 'JavaScript of the overview (gzip)', value: bytes / 1000, unit: 'kB', limit: 220 }),
  )
  console.log(JSON.stringify({ figure: 'JavaScript files of the overview', value: files, unit: '', limit: 12 }))
} finally {
  await environment.close()
}
