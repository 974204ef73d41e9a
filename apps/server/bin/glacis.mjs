#!/usr/bin/env node
import { followNpm, glacis, runProgram } from '../../../tools/node.mjs'

followNpm()
await runProgram(glacis, ...process.argv.slice(2))
