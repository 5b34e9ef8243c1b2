import { z } from 'zod'
import { type Issue, issueCodes } from '../errors.ts'
import { nameText } from '../fields/field-type.ts'
import { idPattern, type UidKind, uidPattern, uidProblem } from '../identifiers.ts'

/** A 24-hex identifier in a request or response. */
export const idSchema = z.string().regex(idPattern, { error: 'InvalidFormat' })

/** Maximum size in bytes of a file that is sent to a signed address. Archives may be the largest. */
export const maxSignedUploadBytes = 200_000_000_000

/** The uid of a new object: checks the format and reserved words. */
export const uidSchema = (kind: UidKind) =>
  z.string().superRefine((uid, context) => {
    const problem = uidProblem(kind, uid)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

/**
 * The uid in an update: checks only the format. Reserved words depend on the current uid, so the service checks them
 * (`requireUid`).
 */
export const changedUidSchema = z.string().regex(uidPattern, { error: 'InvalidFormat' })

/** A name of 1 to 100 UTF-16 units. Surrounding white space is removed. */
export const nameSchema = z.string().trim().min(1, { error: 'Required' }).pipe(nameText(100))

/**
 * ISO 8601 in UTC. Dates from the database become strings with milliseconds. Strings with any number of decimals are
 * accepted and stay unchanged.
 */
export const timeSchema = z
  .union([z.date().transform((date) => date.toISOString()), z.iso.datetime()])
  .pipe(z.string())

export const issueSchema = z.object({
  path: z.string(),
  code: z.enum(issueCodes),
  params: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
}) satisfies z.ZodType<Issue>

export const successSchema = z.object({ success: z.literal(true) })
export const success = { success: true } as const

/** Maximum number of matches that a filtered list counts, because an exact count of many rows is too expensive. */
export const countedTo = 10_000
/** Maximum number of matches that a text search counts. It is lower, because counting must read the texts. */
export const wordsCountedTo = 1_000
/** Number of counted matches. `isMore`: there are more matches. */
export const countedTotal = { total: z.int(), isMore: z.boolean() }
