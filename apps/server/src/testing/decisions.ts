/** Issue changes, for the tests of statistics. */
export { reprioritize, setStatusOfMany } from '#issues/index.ts'
