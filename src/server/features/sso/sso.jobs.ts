import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { deleteEndedSignIns } from './sign-ins.repository.ts'

/** Deletes expired sign-ins by SSO, and expired assertions. */
export const cleanUpSsoJob = defineJob({
  name: 'sso.cleanUp',
  payload: z.object({}),
  handler: ({ db }) => deleteEndedSignIns(db),
})
