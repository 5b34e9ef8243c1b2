import { z } from 'zod'
import { nameText, storableText } from '../fields/field-type.ts'
import { languages } from '../languages.ts'

/** Limits of a form and of one submission. Sizes are in bytes. */
export const formLimits = {
  perSpace: 200,
  fields: 100,
  /** Size of all fields of a form as JSON, in UTF-16 units. */
  definition: 100_000,
  options: 200,
  origins: 50,
  /** Values of one submission, also those that the form does not define. */
  values: 500,
  /** Length of the name of a value, in UTF-16 units. */
  name: 100,
  /** Size of all names and values of one submission. */
  textBytes: 512 * 1024,
  files: 10,
  fileBytes: 20 * 1024 * 1024,
  /** Size of all files of one submission. */
  allFileBytes: 50 * 1024 * 1024,
  /** Size of the files that one form accepts within 24 hours. */
  fileBytesPerDay: 2_000_000_000,
  /** Number of files that one form accepts within 24 hours. */
  filesPerDay: 5_000,
  /** Size of the text that one address may send to all forms within an hour. */
  textBytesPerHour: 30_000_000,
} as const

/** A text for visitors in both languages. An empty text is replaced by the one in the other language. */
export const localizedText = (maximum: number) =>
  z.strictObject({ ja: storableText(maximum), en: storableText(maximum) })
export type LocalizedText = z.infer<ReturnType<typeof localizedText>>

const noText = { ja: '', en: '' }

const label = localizedText(200).refine((text) => languages.some((language) => text[language].trim()), {
  error: 'Required',
})

/**
 * Names of values that are never stored: tokens of spam checks, the charset that browsers report, and names of Imori's
 * own inputs.
 */
export const isReservedName = (name: string): boolean =>
  ['googlerecaptchatoken', 'g-recaptcha-response', 'cf-turnstile-response', '_charset_'].includes(
    name.toLowerCase(),
  ) || name.toLowerCase().startsWith('_imori')

/** The address of a page. Characters that browsers remove or replace are refused. */
export const webAddress = z
  .string()
  .max(2000)
  .refine((text) => /^https?:\/\/[^/\\@\s]/i.test(text) && !/[\s\\\p{C}]/u.test(text) && URL.canParse(text), {
    error: 'InvalidFormat',
  })
  // The header of a redirect contains only ASCII.
  .transform((text) => new URL(text).href)

/** Adds an issue for each text that occurs earlier in the list. `property`: the property of the items to report. */
export const refuseDuplicates =
  <Property extends string>(property: Property) =>
  (items: Record<Property, string>[], context: z.RefinementCtx): void => {
    const seen = new Set<string>()
    for (const [index, item] of items.entries()) {
      if (seen.has(item[property]))
        context.addIssue({ code: 'custom', path: [index, property], message: 'DuplicatedValue' })
      seen.add(item[property])
    }
  }

const common = {
  /** The `name` of the input, and of the value in submissions. */
  name: nameText(formLimits.name)
    .min(1, { error: 'Required' })
    .refine((name) => !isReservedName(name), { error: 'ReservedWord' }),
  label,
  help: localizedText(500).default(noText),
  required: z.boolean().default(false),
  /** Shown for an invalid value instead of the standard message. */
  message: localizedText(200).default(noText),
}
const lengths = {
  minLength: z.int().min(0).max(100_000).nullish(),
  maxLength: z.int().min(1).max(100_000).nullish(),
}
const options = {
  options: z
    .array(z.strictObject({ value: nameText(200).min(1, { error: 'Required' }), label }))
    .min(1, { error: 'Required' })
    .max(formLimits.options)
    .superRefine(refuseDuplicates('value')),
}

/** A field of a form. Each type has the rules of a field type of documents (rules.ts). */
export const formFieldSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...common, ...lengths, type: z.literal('text'), pattern: storableText(200).nullish() }),
  z.strictObject({ ...common, ...lengths, type: z.literal('textarea') }),
  z.strictObject({ ...common, type: z.literal('email') }),
  z.strictObject({ ...common, type: z.literal('phone') }),
  z.strictObject({
    ...common,
    type: z.literal('number'),
    min: z.number().nullish(),
    max: z.number().nullish(),
    integer: z.boolean().default(false),
  }),
  z.strictObject({ ...common, type: z.literal('date') }),
  z.strictObject({
    ...common,
    ...options,
    type: z.literal('choice'),
    display: z.enum(['radio', 'select']).default('radio'),
  }),
  z.strictObject({
    ...common,
    ...options,
    type: z.literal('checkboxes'),
    minItems: z.int().min(0).max(formLimits.options).nullish(),
    maxItems: z.int().min(1).max(formLimits.options).nullish(),
  }),
  z.strictObject({
    ...common,
    type: z.literal('file'),
    /** In the syntax of `<input type=file accept>`. Empty: every file. */
    accept: storableText(500).default(''),
    maxFiles: z.int().min(1).max(formLimits.files).default(1),
  }),
  z.strictObject({
    ...common,
    type: z.literal('consent'),
    /** The text that the visitor agrees to, such as a privacy policy. */
    link: webAddress.nullish(),
  }),
])
export type FormField = z.infer<typeof formFieldSchema>
export type FormFieldType = FormField['type']

/** The types of fields in the order of the menu. */
export const formFieldTypes = [
  'text',
  'textarea',
  'email',
  'phone',
  'number',
  'date',
  'choice',
  'checkboxes',
  'file',
  'consent',
] as const satisfies readonly FormFieldType[]

export const submissionStates = ['new', 'inProgress', 'done', 'spam'] as const
export type SubmissionState = (typeof submissionStates)[number]

/** One value of a submission as sent. A value that was sent several times, such as of checkboxes, is a list. */
export interface SubmittedValue {
  name: string
  value: string | string[]
}
