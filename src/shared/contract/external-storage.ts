import { z } from 'zod'
import { s3CredentialsSchema, s3LocationSchema, storageTroubles } from '../storage.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * A bucket of the space's own, without its credentials. The last four characters of the access key id are not secret.
 */
export const externalStorageSchema = z.object({
  endpoint: z.string(),
  region: z.string(),
  bucket: z.string(),
  prefix: z.string(),
  style: s3LocationSchema.shape.style,
  accessKeyLast4: z.string(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type ExternalStorage = z.infer<typeof externalStorageSchema>

/** The steps of the connection test, in this order. */
export const storageTestSteps = ['write', 'read', 'stat', 'list', 'sign', 'protect', 'delete'] as const

export const storageProblemSchema = z.object({
  step: z.enum(storageTestSteps),
  reason: z.enum(storageTroubles),
  /** The correct region, if the storage names it. */
  region: z.string().optional(),
})
export type StorageProblem = z.infer<typeof storageProblemSchema>

/** The credentials may be omitted while the endpoint stays the same. The stored ones are used then. */
export const externalStorageInput = z.strictObject({
  ...s3LocationSchema.shape,
  prefix: s3LocationSchema.shape.prefix.default(''),
  style: s3LocationSchema.shape.style.default('path'),
  accessKeyId: s3CredentialsSchema.shape.accessKeyId.optional(),
  secretAccessKey: s3CredentialsSchema.shape.secretAccessKey.optional(),
})
export type ExternalStorageInput = z.output<typeof externalStorageInput>

const stateSchema = z.object({
  /** null: the files of the space are in the storage of the installation. */
  externalStorage: externalStorageSchema.nullable(),
  /** Number of stored contents: all, and those that are not in the current storage. */
  files: z.object({ total: z.int(), elsewhere: z.int() }),
  /** The latest job that moved files, which may still be running. */
  jobId: idSchema.nullable(),
})
export type ExternalStorageState = z.infer<typeof stateSchema>

export const externalStorageEndpoints = {
  getExternalStorage: endpoint('GET /api/project/{p}/externalStorage', {
    summary: 'Where the files of a space lie, without the keys.',
    permission: 'storage.manage',
    transaction: 'own',
    response: stateSchema,
  }),
  saveExternalStorage: endpoint('PUT /api/project/{p}/externalStorage', {
    audit: {
      act: 'storage.update',
      of: 'externalStorage',
      shows: ['endpoint', 'region', 'bucket', 'prefix', 'accessKeyLast4'],
    },
    summary:
      'Keep the files of a space in a bucket of its own (S3 and what speaks its protocol). It is tried out first, and nothing is saved when that fails. New files go there at once; the others are moved by a job.',
    permission: 'storage.manage',
    body: z.strictObject({ data: externalStorageInput }),
    transaction: 'own',
    maximumSeconds: 120,
    response: stateSchema,
  }),
  deleteExternalStorage: endpoint('DELETE /api/project/{p}/externalStorage', {
    audit: { act: 'storage.leave', shows: ['endpoint', 'bucket'] },
    summary:
      'Keep the files of a space with Imori again. New files go there at once; the others are moved back by a job, and the keys are forgotten a day after nothing is in the bucket any more.',
    permission: 'storage.manage',
    transaction: 'own',
    response: stateSchema,
  }),
  testExternalStorage: endpoint('POST /api/project/{p}/externalStorage/test', {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'tries out and changes nothing' },
    summary:
      'Try out a bucket: write, read, look at, list, sign an address for and delete a small file; strangers must not be able to write.',
    permission: 'storage.manage',
    body: z.strictObject({ data: externalStorageInput }),
    transaction: 'own',
    maximumSeconds: 120,
    /** null: no problem. */
    response: z.object({ problem: storageProblemSchema.nullable() }),
  }),
  moveFiles: endpoint('POST /api/project/{p}/externalStorage/move', {
    idempotent: { none: 'files that are moved already stay' },
    audit: { act: 'storage.move' },
    summary:
      'Move the files that are elsewhere to where new ones go, after that has failed or was cancelled.',
    permission: 'storage.manage',
    transaction: 'own',
    response: stateSchema,
  }),
}
