#!/usr/bin/env node
import { followNpm, runGlacis } from '../../../tools/node.mjs'

followNpm()
await runGlacis(process.argv.slice(2))
