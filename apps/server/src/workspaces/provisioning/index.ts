/** The SCIM service, served by `http/scim.ts`. */
export { resourceTypes, schemas, serviceProviderConfig } from '#workspaces/provisioning/discovery.ts'
export {
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  patchGroup,
  replaceGroup,
} from '#workspaces/provisioning/groups.ts'
export { readListQuery } from '#workspaces/provisioning/list-query.ts'
export { type ScimService, type Versioned, project } from '#workspaces/provisioning/represent.ts'
export { ScimError } from '#workspaces/provisioning/scim-error.ts'
export {
  type Found,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  patchUser,
  replaceUser,
} from '#workspaces/provisioning/users.ts'
