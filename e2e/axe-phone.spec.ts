import { defineAxeTests } from './axe.ts'

defineAxeTests({ width: 390, height: 844, network: '127.77.20' })
