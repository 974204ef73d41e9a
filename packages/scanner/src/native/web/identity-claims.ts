/** Headers and cookies that state who the client is, which a server must not believe. */

export type Claim = readonly [name: string, value: string]

// cspell:disable
const users =
  'X-Forwarded-User X-Remote-User Remote-User X-User X-Username X-User-Name X-Authenticated-User X-Auth-User X-Auth-Username X-Auth-Request-User X-Internal-User X-Webauth-User X-Forwarded-Preferred-Username X-Authenticated-Userid X-Consumer-Username'
const roles = 'X-Role X-Roles X-User-Role X-User-Roles X-Auth-Role X-Auth-Roles X-Forwarded-Groups'
const states = 'X-Admin X-Is-Admin X-Authenticated X-Internal X-Internal-Request'

function claims(names: string, value: string): readonly Claim[] {
  return names.split(' ').map((name) => [name, value])
}

/** Headers in which proxies pass the user to applications. */
export const identityHeaders: readonly Claim[] = [
  ...claims(users, 'admin'),
  ['X-User-Id', '1'],
  ...claims(roles, 'admin'),
  ...claims(states, 'true'),
]

/** Cookies of applications without sessions. */
export const identityCookies: readonly Claim[] = [
  ...claims('role user_role userRole usertype user username user_name login', 'admin'),
  ...claims('user_id userId uid', '1'),
  ...claims('admin is_admin isAdmin authenticated logged_in loggedin loggedIn isLoggedIn auth', 'true'),
]
// cspell:enable
