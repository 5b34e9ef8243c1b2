import { z } from 'zod'
import { type Issue, issueCodes } from '../errors.ts'
import { nameText } from '../fields/field-type.ts'
import { idPattern, type UidKind, uidPattern, uidProblem } from '../identifiers.ts'

/** A 24-hex identifier in an answer or a body. */
export const idSchema = z.string().regex(idPattern, { error: 'InvalidFormat' })

/** The uid of something new: form and reserved words (decisions §3). */
export const uidSchema = (kind: UidKind) =>
  z.string().superRefine((uid, context) => {
    const problem = uidProblem(kind, uid)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

/**
 * The uid of something that may have it already: its form only. Whether the word is free to be taken is for the service
 * to say, which knows the uid it has (`requireUid`).
 */
export const changedUidSchema = z.string().regex(uidPattern, { error: 'InvalidFormat' })

/** A name that people give: 1 to 100 characters, surrounding space taken away. */
export const nameSchema = z.string().trim().min(1, { error: 'Required' }).pipe(nameText(100))

/** ISO 8601 in UTC with milliseconds. Date columns become strings here. */
export const timeSchema = z
  .union([z.date().transform((date) => date.toISOString()), z.iso.datetime()])
  .pipe(z.string())

/** An {@link Issue} as it is answered. */
export const issueSchema = z.object({
  path: z.string(),
  code: z.enum(issueCodes),
  params: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
}) satisfies z.ZodType<Issue>

export const successSchema = z.object({ success: z.literal(true) })
export const success = { success: true } as const

/** What filters of a list find is counted to here: what a total of very many costs is more than it tells. */
export const countedTo = 10_000
/** The same where words are looked for, which costs a look at each text. */
export const wordsCountedTo = 1_000
/** How many a list finds; `isMore`: more than that. */
export const countedTotal = { total: z.int(), isMore: z.boolean() }
