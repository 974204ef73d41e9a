/** An address that leads nowhere. */
export function NotFoundScreen() {
  return <p>Not Found</p>
}
