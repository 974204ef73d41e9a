/**
 * React's renderer, as a module of its own: the file that holds React evaluates it, in a task by itself, and not
 * whoever comes first to use it.
 */
export { createRoot } from 'react-dom/client'
