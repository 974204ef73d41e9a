import { expect, it } from 'vitest'
import { errorAdvice, fieldProblem } from '#api/advice.ts'
import { ApiFailure, readFailureBody, readRetryAfter } from '#api/failure.ts'

function failure(status: number, text = '', retryAfterSeconds?: number): ApiFailure {
  const body = readFailureBody(text, text.startsWith('{') ? 'application/json' : 'text/html')
  return new ApiFailure({ status, statusText: 'X', body, retryAfterSeconds })
}
const errorBody = (message: string) => JSON.stringify({ code: 3, message })

it.each([
  [failure(403), "You don't have permission to do this. Contact your administrator."],
  [
    failure(404, errorBody('no such target')),
    'No such target. This item no longer exists. It may have been deleted; reload the page.',
  ],
  [
    failure(409, errorBody('A scan is under way')),
    'A scan is under way. The data has changed in the meantime. Review the page, then try again.',
  ],
  [
    failure(
      409,
      JSON.stringify({
        code: 10,
        message: 'You are the last owner. Transfer ownership first',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'LAST_OWNER' }],
      }),
    ),
    'You are the last owner. Transfer ownership first.',
  ],
  [failure(429, errorBody('ada@a.example was invited too often')), 'ada@a.example was invited too often.'],
  [failure(413), 'The request is too large. Shorten it and try again.'],
  [failure(429, '', 30), 'Too many requests. Try again in 30 seconds.'],
  [failure(429, errorBody('Your plan covers 25 targets.')), 'Your plan covers 25 targets.'],
  [failure(502, '<html>Bad gateway</html>'), "The server couldn't complete the request. Try again in a moment."],
  [failure(503, errorBody('the database does not answer'), 5), 'The database does not answer. Try again in 5 seconds.'],
  [failure(503, '', 1), "The server couldn't complete the request. Try again in a second."],
  [failure(500, '{"error":{"a":1}}'), "The server couldn't complete the request. Try again in a moment."],
  [failure(400), 'The server rejected the request. Reload the page and try again.'],
  [new TypeError('x is undefined'), 'Something went wrong. Reload the page and try again.'],
])('advises on %s', (error, expected) => {
  expect(errorAdvice(error)).toBe(expected)
})

it('returns nothing when form fields show the errors', () => {
  const details = [{ '@type': 'x', fieldViolations: [{ field: 'target.name', description: 'too long' }] }]
  expect(errorAdvice(failure(400, JSON.stringify({ code: 3, message: 'no', details })))).toBeUndefined()
  expect(errorAdvice(null)).toBeUndefined()
})

it('reads Retry-After in seconds and ignores dates', () => {
  expect([readRetryAfter('30'), readRetryAfter('Wed, 21 Oct 2026 07:28:00 GMT'), readRetryAfter(null)]).toEqual([
    30,
    undefined,
    undefined,
  ])
})

it('finds the error of a nested field', () => {
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'invitation.email', description: 'Invalid email' }],
    },
  ]
  const error = failure(400, JSON.stringify({ code: 3, message: 'invitation.email: Invalid email', details }))
  expect([fieldProblem(error, 'email'), fieldProblem(error, 'mail')]).toEqual(['Invalid email', undefined])
})
