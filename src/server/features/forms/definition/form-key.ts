import { randomBytes } from 'node:crypto'

/** Creates a public id of a form: nine random characters of the URL-safe alphabet of base64. */
export const newFormKey = (): string => randomBytes(7).toString('base64url').slice(0, 9)
