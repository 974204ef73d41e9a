import { defineAxeTests } from './axe.ts'

defineAxeTests({ width: 1440, height: 900, network: '127.77.19' })
