import { tellAxe } from './axe.ts'

tellAxe({ width: 1440, height: 900, network: '127.77.19' })
