/** Texts of the checks whose evidence is a page. */
import { checkInfo } from '#native/native-check.ts'

export const setupOpen = checkInfo({
  id: 'setup-not-completed',
  name: 'Setup not completed',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'The application still shows its installer, or offers to create the first administrator, to unauthenticated visitors. The check did not submit the form.',
  impact: 'An attacker can complete the setup with their own administrator account and take over the application.',
  remediation: 'Complete the setup, remove or disable the installer, or restrict access to it until then.',
  reference: 'https://cwe.mitre.org/data/definitions/1188.html',
  tags: 'misconfig installer unauth',
  verifiedOn: 'home-assistant jackrabbit-setup jspwiki ocs-reports shaarli zigbee2mqtt',
})

export const setupReachable = checkInfo({
  id: 'setup-page-exposed',
  name: 'Setup page exposed',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:L/A:N',
  score: 3.7,
  summary:
    'The setup page of an application is publicly accessible. Only a setup token or setup password protects it. The check did not submit the form.',
  impact:
    'An attacker who guesses or obtains the token or password can reconfigure the application or add an administrator, and flaws in the setup page can be exploited without an account.',
  remediation:
    'Remove or disable the setup page once the setup is complete, for example `rm public/setup.php` for PostfixAdmin or `icingacli module disable setup` for Icinga Web 2, or restrict access to it.',
  reference: 'https://cwe.mitre.org/data/definitions/1188.html',
  tags: 'exposure installer panel',
  verifiedOn: 'icingaweb2-setup postfixadmin',
})

export const registrationOpen = checkInfo({
  id: 'registration-open',
  name: 'Account registration open',
  severity: 'low',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:L/A:N',
  score: 3.7,
  summary:
    'The application lets unauthenticated visitors create an account without an invitation. The check did not create one.',
  impact:
    'An attacker can register and access everything that users can, which is a weakness if the application is meant for a closed group.',
  remediation: 'Disable registration, or require an invitation or the approval of an administrator.',
  reference: 'https://cwe.mitre.org/data/definitions/284.html',
  tags: 'misconfig registration',
  verifiedOn: 'gotify meshcentral',
})

export const editorOpen = checkInfo({
  id: 'page-editor-open',
  name: 'Pages editable without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:L/A:N',
  score: 5.3,
  summary: 'The editor of a page is available to unauthenticated visitors. The check did not save anything.',
  impact: 'An attacker can change or deface pages, and add scripts or links to malware.',
  remediation: "Require authentication for editing, for example with the wiki's access control lists.",
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig wiki unauth',
  verifiedOn: 'gitit',
})

export const sqlConsoleOpen = checkInfo({
  id: 'sql-console-open',
  name: 'SQL console exposed without authentication',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N',
  score: 9.1,
  summary: 'A page that runs SQL statements is accessible without authentication. The check did not run a statement.',
  impact: 'An attacker can read the database and, if the connection permits writing, change it.',
  remediation: 'Require authentication for the console, or restrict it to trusted networks.',
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig database unauth',
  verifiedOn: 'django-sql-explorer',
})

export const connectionFormOpen = checkInfo({
  id: 'connection-form-open',
  name: 'Web client for remote servers exposed without authentication',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N',
  score: 7.2,
  summary:
    'A web client for SSH, remote desktops, or databases lets unauthenticated visitors choose the server to connect to. The check did not connect.',
  impact: 'An attacker can connect to internal servers, scan the network, and guess passwords from your address.',
  remediation: 'Require authentication for the client, and restrict the servers that it can connect to.',
  reference: 'https://cwe.mitre.org/data/definitions/918.html',
  tags: 'misconfig ssrf panel',
  verifiedOn: 'webssh',
})

export const logPageOpen = checkInfo({
  id: 'log-page-exposed',
  name: 'Log viewer exposed without authentication',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary: "A page shows the server's log messages without authentication.",
  impact:
    'An attacker can learn usernames, internal addresses, and error details, and often finds tokens or passwords.',
  remediation: 'Require authentication for the log viewer, or restrict it to trusted networks.',
  reference: 'https://cwe.mitre.org/data/definitions/532.html',
  tags: 'exposure logs unauth',
})

export const authenticationOff = checkInfo({
  id: 'authentication-disabled',
  name: 'Authentication disabled in the application',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L',
  score: 7.3,
  summary:
    "The application's home page or API reports that authentication is disabled, or its sign-in endpoint issues a valid token without credentials.",
  impact: 'An attacker can use the application, including its settings, like any user.',
  remediation: "Enable authentication in the application's settings, or restrict access to trusted networks.",
  reference: 'https://cwe.mitre.org/data/definitions/306.html',
  tags: 'misconfig unauth',
  verifiedOn: 'autogen-studio cncjs perses',
})
