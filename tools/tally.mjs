/**
 * A reporter for vitest: how many tests passed, and what failed, in which file and why, as JSON in
 * the file that the environment names. A suite that cannot begin and an error that belongs to no
 * test are failures too.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './node.mjs'

export const tallyVariable = 'TALLY_FILE'

export default class Tally {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const failures = [
      ...tests.filter((test) => test.result().state === 'failed').map((test) => told(test, test.result().errors)),
      ...suites.filter((suite) => suite.errors().length > 0).map((suite) => told(suite, suite.errors())),
      ...unhandledErrors.map((error) => ({ file: null, name: '(outside of any test)', reason: reasonOf([error]) })),
    ]
    const passed = tests.filter((test) => test.result().state === 'passed').length
    writeFileSync(process.env[tallyVariable], JSON.stringify({ passed, failures }))
  }
}

function told(task, errors) {
  const file = relative(root, task.type === 'module' ? task.moduleId : task.module.moduleId)
  return { file, name: [file, task.fullName].filter(Boolean).join(' > '), reason: reasonOf(errors) }
}

/** In a line each: the whole of it stands above, where vitest said it. */
function reasonOf(errors) {
  return errors.map(({ name, message }) => `${name}: ${message.split('\n', 1)[0]}`).join('; ')
}
