import { tellAxe } from './axe.ts'

tellAxe({ width: 390, height: 844, network: '127.77.20' })
