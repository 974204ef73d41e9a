/** Former names of the test server, until every test uses the new ones. */
export { person, startTestServer as openHouse, type TestServer as House } from '#testing/test-server.ts'
