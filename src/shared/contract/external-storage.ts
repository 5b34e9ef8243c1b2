import { z } from 'zod'
import { s3CredentialsSchema, s3LocationSchema, storageTroubles } from '../storage.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * A bucket of the space's own, without its credentials. `accessKeyLast4`: the last four characters of the access key
 * id, which are not secret.
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

/** The credentials may be omitted if the endpoint stays the same. The stored ones are then used. */
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
  /** Number of stored contents (`total`), and of those outside the current storage (`elsewhere`). */
  files: z.object({ total: z.int(), elsewhere: z.int() }),
  /** The latest job that moved files, which may still be running. null: none. */
  jobId: idSchema.nullable(),
})
export type ExternalStorageState = z.infer<typeof stateSchema>

export const externalStorageEndpoints = {
  getExternalStorage: endpoint('GET /api/project/{p}/externalStorage', {
    summary: 'Get where the files of the space are stored, without the keys',
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
    summary: 'Store the files of the space in its own S3-compatible bucket',
    description:
      'The bucket is tested first; 400 `ExternalStorageTestFailed` with the `problem`, and nothing is ' +
      'saved, if the test fails. New files are stored in the bucket immediately. A job moves the other ' +
      'files. For the present bucket, only keys, region and style change. The keys may be omitted while ' +
      'the endpoint stays the same.',
    permission: 'storage.manage',
    body: z.strictObject({ data: externalStorageInput }),
    transaction: 'own',
    maximumSeconds: 120,
    response: stateSchema,
  }),
  deleteExternalStorage: endpoint('DELETE /api/project/{p}/externalStorage', {
    audit: { act: 'storage.leave', shows: ['endpoint', 'bucket'] },
    summary: 'Store the files of the space in Imori again',
    description:
      'New files are stored there immediately. A job moves the other files back. When no file of the ' +
      'space is left in the bucket, after one day at the earliest, everything below its prefix is ' +
      'deleted, and so are the keys.',
    permission: 'storage.manage',
    transaction: 'own',
    response: stateSchema,
  }),
  testExternalStorage: endpoint('POST /api/project/{p}/externalStorage/test', {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'tries out and changes nothing' },
    summary: 'Test a bucket with a small file',
    description:
      'Writes, reads, stats, lists, signs a URL for and deletes the file. Also checks that anonymous ' +
      'callers cannot write.',
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
    summary: 'Resume moving files to the storage for new files',
    description: 'Needed only after the job that moves files failed or was cancelled. Changes nothing else.',
    permission: 'storage.manage',
    transaction: 'own',
    response: stateSchema,
  }),
}
