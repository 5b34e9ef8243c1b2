import { z } from 'zod'
import { defineJob } from '#server/jobs/job.ts'
import { deleteEndedSignIns } from './sign-ins.repository.ts'

/** Sign-ins by SSO that nobody finished, and assertions that have ended by themselves. */
export const cleanUpSsoJob = defineJob({
  name: 'sso.cleanUp',
  payload: z.object({}),
  handler: ({ db }) => deleteEndedSignIns(db),
})
