/** Measures the JavaScript that a browser loads until the overview is usable. */
import { scriptsOf } from '../e2e/bundle.ts'
import { setup } from '../e2e/shared-product.ts'
import { startTestEnvironment } from '../e2e/test-environment.ts'

const stopProduct = await setup()
const environment = await startTestEnvironment('bundle')
try {
  const { files, bytes } = await scriptsOf(await environment.newPage(environment.visitor), '/overview')
  console.log(
    JSON.stringify({ figure: 'JavaScript of the overview (gzip)', value: bytes / 1000, unit: 'kB', limit: 220 }),
  )
  console.log(JSON.stringify({ figure: 'JavaScript files of the overview', value: files, unit: '', limit: 12 }))
} finally {
  await environment.close()
  await stopProduct()
}
