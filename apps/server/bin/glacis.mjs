#!/usr/bin/env node
import { exitWithNpm, glacis, runProgram } from '../../../tools/node.mjs'

exitWithNpm()
await runProgram(glacis, ...process.argv.slice(2))
