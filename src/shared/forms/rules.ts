import { isAccepted } from '../accept.ts'
import type { Issue } from '../errors.ts'
import { checkbox } from '../fields/checkbox.ts'
import { date } from '../fields/date.ts'
import { checkValue, parseValue } from '../fields/document.ts'
import type { RuleEnvironment } from '../fields/field-type.ts'
import type { Field } from '../fields/index.ts'
import { number } from '../fields/number.ts'
import { select as selectType } from '../fields/select.ts'
import { text as textType } from '../fields/text.ts'
import type { FormField, SubmittedValue } from './fields.ts'

/** The types of fields of documents whose rules apply to forms. */
const types = {
  text: textType.type,
  number: number.type,
  date: date.type,
  select: selectType.type,
  checkbox: checkbox.type,
} as const

/** A file of a submission, as far as rules need it. */
export interface SubmittedFile {
  /** Name of the field. */
  name: string
  fileName: string
  type: string
}

/** Maximum length of an e-mail address (RFC 5321 without angle brackets, and the usual limit of programs). */
const maxEmailLength = 320
const email = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]+\.[^\s@<>()",;:\\[\].]{2,}$/u

/** Returns whether the text looks like an e-mail address. Addresses with Unicode and Japanese domains do. */
export const isEmail = (text: string): boolean => text.length <= maxEmailLength && email.test(text)

/** Returns the text in half-width characters without surrounding white space. Hyphens of all kinds become `-`. */
const plain = (text: string): string =>
  halfWidth(text.trim()).replace(/[\u2010-\u2015\u2212\u30fc\uff70\ufe63\uff0d]/gu, '-')

/** Replaces the full-width forms of ASCII. */
const halfWidth = (text: string): string =>
  text
    .replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll('\u3000', ' ')

const phone = /^\+?[\d\s().-]+$/
const countDigits = (text: string) => text.replace(/\D/g, '').length

/** Returns a number as a number field of documents expects it. Other texts stay, which such a field refuses. */
function readNumber(text: string): number | string {
  const decimal = plain(text).replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
  return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(decimal) ? Number(decimal) : text
}

/** A day, which date fields of documents read. They also read times, which forms refuse. */
const day = /^\d{4}-\d{2}-\d{2}$/
/** A text that no date field reads. */
const noDay = '-'

/** Values of check boxes that mean "not checked", in addition to empty values. */
const unchecked = new Set(['false', 'off', 'no', '0'])

/** Maximum length of a text that is checked by a pattern, because each visitor can have long ones checked. */
const maxPatternLength = 2_000
const shorter = (maxLength: number | null | undefined) =>
  Math.min(maxLength ?? maxPatternLength, maxPatternLength)

/** Returns whether the value of a consent means that the visitor agrees. */
export const isAgreement = (value: string | string[]): boolean =>
  textsOf(value).some((text) => !unchecked.has(text.trim().toLowerCase()))

/** How a form field is checked by the rules of a field type of documents. */
interface Rule {
  field: Field
  /** Converts the non-empty texts that were sent to a value that the document field reads. */
  read(texts: string[]): unknown
}

const first = (texts: string[]) => texts[0]

/** Returns the rule of a form field. null: a field whose values are files. */
function ruleOf(field: FormField): Rule | null {
  const { required } = field
  const own = {
    _id: '0'.repeat(24),
    uid: 'value',
    name: '',
    description: '',
    required,
    multiple: false,
    unique: false,
  }
  const text = { ...own, type: types.text, inputType: 'inputText' } as const
  switch (field.type) {
    case 'text':
    case 'textarea': {
      const { minLength, maxLength } = field
      const pattern = field.type === 'text' ? field.pattern : null
      return {
        field: { ...text, minLength, maxLength: pattern ? shorter(maxLength) : maxLength, pattern },
        // Browsers send each line break as two characters, but count one.
        read: (texts) => texts[0]?.replaceAll('\r\n', '\n'),
      }
    }
    case 'email':
    case 'phone':
      return { field: text, read: first }
    case 'number': {
      const { min, max, integer } = field
      return {
        field: { ...own, type: types.number, min, max, integer },
        read: ([text]) => text && readNumber(text),
      }
    }
    case 'date':
      return {
        field: { ...own, type: types.date, inputType: 'date', startsNow: false },
        read: ([text]) => text && (day.test(plain(text)) ? plain(text) : noDay),
      }
    case 'choice':
      return { field: { ...own, ...select(field) }, read: first }
    case 'checkboxes': {
      const { minItems, maxItems } = field
      return {
        field: { ...own, ...select(field), multiple: true, minItems, maxItems },
        read: (texts) => texts,
      }
    }
    case 'consent':
      return {
        field: { ...own, type: types.checkbox, inputType: 'checkbox' },
        read: isAgreement,
      }
    case 'file':
      return null
  }
}

const select = ({ options }: FormField & { type: 'choice' | 'checkboxes' }) =>
  ({
    type: types.select,
    inputType: 'none',
    valueType: 'text',
    options: options.map(({ value }) => ({ value, label: '' })),
  }) as const

/** Returns the non-empty texts of a value. White space alone is empty. */
const textsOf = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : [value ?? '']).filter((text) => text.trim() !== '')

/**
 * Returns the broken rules of a submission, at most one for each field. The path of an issue is the name of its field.
 * Values that the form does not define are not checked, but files need a field. Without fields, nothing is checked.
 */
export function checkSubmission(
  fields: FormField[],
  values: SubmittedValue[],
  files: SubmittedFile[],
  environment: RuleEnvironment,
): Issue[] {
  if (fields.length === 0) return []
  const sent = new Map(values.map(({ name, value }) => [name, value]))
  const fileFields = new Set(fields.filter(({ type }) => type === 'file').map(({ name }) => name))
  const unknown = new Set(files.map(({ name }) => name).filter((name) => !fileFields.has(name)))
  return [
    ...fields.flatMap((field) => {
      const [issue] =
        field.type === 'file'
          ? checkFiles(
              field,
              files.filter(({ name }) => name === field.name),
            )
          : checkTexts(field, textsOf(sent.get(field.name)), environment)
      return issue ? [{ ...issue, path: field.name }] : []
    }),
    ...Array.from(unknown, (path): Issue => ({ path, code: 'UnknownField' })),
  ]
}

function checkTexts(field: FormField, texts: string[], environment: RuleEnvironment): Omit<Issue, 'path'>[] {
  const rule = ruleOf(field)
  if (!rule) return []
  const isSingle = field.type !== 'checkboxes' && field.type !== 'consent'
  if (texts.length > 1 && isSingle) return [{ code: 'TooManyItems', params: { maximum: 1 } }]
  const { value, issues } = parseValue(rule.field, rule.read(texts))
  if (issues.length > 0)
    return [{ code: issues[0]?.code === 'InvalidType' ? 'InvalidFormat' : 'InvalidValue' }]
  const broken = checkRules(rule.field, value, environment)
  if (broken.length > 0 || texts.length === 0) return broken.map(({ path: _, ...issue }) => issue)
  const [text = ''] = texts
  if (field.type === 'email' && !isEmail(text.trim())) return [{ code: 'InvalidFormat' }]
  if (field.type === 'phone') {
    const digits = plain(text)
    if (!phone.test(digits) || countDigits(digits) < 6 || countDigits(digits) > 20)
      return [{ code: 'InvalidFormat' }]
  }
  return []
}

/** Checks the pattern of a text only if the text breaks no other rule. */
function checkRules(field: Field, value: unknown, environment: RuleEnvironment): Issue[] {
  if (field.type !== types.text || !field.pattern) return checkValue(field, value, environment)
  const broken = checkValue({ ...field, pattern: null }, value, environment)
  return broken.length > 0 ? broken : checkValue(field, value, environment)
}

function checkFiles(
  { required, maxFiles, accept }: FormField & { type: 'file' },
  files: SubmittedFile[],
): Omit<Issue, 'path'>[] {
  if (files.length === 0) return required ? [{ code: 'Required' }] : []
  if (files.length > maxFiles) return [{ code: 'TooManyItems', params: { maximum: maxFiles } }]
  return files.every(({ fileName, type }) => isAccepted({ name: fileName, type }, accept))
    ? []
    : [{ code: 'InvalidType' }]
}
