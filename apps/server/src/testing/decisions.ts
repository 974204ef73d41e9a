/** Issue changes for the tests of statistics, which may not import issues. */
export { reprioritize, setStatusOfMany } from '#issues/index.ts'
