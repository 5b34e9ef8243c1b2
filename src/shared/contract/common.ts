import { z } from 'zod'
import { type Issue, issueCodes } from '../errors.ts'
import { nameText } from '../fields/field-type.ts'
import { idPattern, type UidKind, uidPattern, uidProblem } from '../identifiers.ts'

/** A 24-hex identifier in a request or response. */
export const idSchema = z.string().regex(idPattern, { error: 'InvalidFormat' })

/** The uid of a new object: checks the format and reserved words (decisions §3). */
export const uidSchema = (kind: UidKind) =>
  z.string().superRefine((uid, context) => {
    const problem = uidProblem(kind, uid)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

/**
 * The uid in an update: checks only the format. The service checks reserved words and conflicts, because it loads the
 * current uid (`requireUid`).
 */
export const changedUidSchema = z.string().regex(uidPattern, { error: 'InvalidFormat' })

/** A name of 1 to 100 characters, without surrounding white space. */
export const nameSchema = z.string().trim().min(1, { error: 'Required' }).pipe(nameText(100))

/** ISO 8601 in UTC with milliseconds. `Date` values from the database become strings. */
export const timeSchema = z
  .union([z.date().transform((date) => date.toISOString()), z.iso.datetime()])
  .pipe(z.string())

/** An {@link Issue} in a response. */
export const issueSchema = z.object({
  path: z.string(),
  code: z.enum(issueCodes),
  params: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
}) satisfies z.ZodType<Issue>

export const successSchema = z.object({ success: z.literal(true) })
export const success = { success: true } as const

/** Maximum number of matches that a filtered list counts, because an exact count of many rows is too expensive. */
export const countedTo = 10_000
/** Maximum number of matches that a text search counts. It is lower, because counting must read each text. */
export const wordsCountedTo = 1_000
/** Number of counted matches. `isMore`: there are more matches. */
export const countedTotal = { total: z.int(), isMore: z.boolean() }
