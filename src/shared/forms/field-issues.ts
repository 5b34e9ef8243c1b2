import type { Issue } from '../errors.ts'
import { boundsIssues } from '../fields/bounds.ts'
import { lengthBoundsIssues } from '../fields/text.ts'
import { type FormField, formLimits } from './fields.ts'

interface Environment {
  /** Returns whether the server can run this regular expression in linear time. */
  compiles(pattern: string): boolean
}

/**
 * Returns the issues of a form's fields that their schema does not check: invalid patterns, and bounds that exclude
 * each other. Paths are relative to the list (`2.pattern`). The path of a definition that is too large is empty.
 */
export function formFieldIssues(fields: readonly FormField[], environment: Environment): Issue[] {
  if (JSON.stringify(fields).length > formLimits.definition) return [{ path: '', code: 'TooComplex' }]
  return fields.flatMap((field, index) =>
    issuesOf(field, environment).map((issue) => ({ ...issue, path: `${index}.${issue.path}` })),
  )
}

function issuesOf(field: FormField, { compiles }: Environment): Issue[] {
  switch (field.type) {
    case 'text':
      return [
        ...lengthBoundsIssues(field),
        ...(field.pattern && !compiles(field.pattern)
          ? [{ path: 'pattern', code: 'InvalidFormat' } as const]
          : []),
      ]
    case 'textarea':
      return lengthBoundsIssues(field)
    case 'number':
      return boundsIssues('max', rounded(field.min, Math.ceil, field), rounded(field.max, Math.floor, field))
    case 'checkboxes':
      return [
        ...boundsIssues('maxItems', field.minItems, field.maxItems),
        ...(field.minItems != null && field.minItems > field.options.length
          ? [
              {
                path: 'minItems',
                code: 'TooLargeValue',
                params: { maximum: field.options.length },
              } as const,
            ]
          : []),
      ]
    default:
      return []
  }
}

const rounded = (
  bound: number | null | undefined,
  round: (value: number) => number,
  { integer }: { integer: boolean },
) => (bound != null && integer ? round(bound) : bound)
