import type { z } from 'zod'
import { type Issue, type IssueCode, issueCodes } from './errors.ts'

const known = new Set<string>(issueCodes)

/**
 * Converts Zod's issues to issues with dotted paths and codes that the admin can translate. Parse with `reportInput:
 * true`, otherwise missing values cannot be distinguished from wrong types.
 */
export function zodIssues(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...prefix, ...issue.path]
    const at = (code: IssueCode, params?: Issue['params']) => [
      { path: path.map(String).join('.'), code, ...(params ? { params } : {}) },
    ]
    if (known.has(issue.message)) return at(issue.message as IssueCode)
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({ path: [...path, key].map(String).join('.'), code: 'UnknownField' }))
      case 'invalid_type':
        return at(issue.input === undefined ? 'Required' : 'InvalidType')
      case 'too_big': {
        const params = { maximum: Number(issue.maximum) }
        if (issue.origin === 'string') return at('TooManyCharacters', params)
        return at(issue.origin === 'array' ? 'TooManyItems' : 'TooLargeValue', params)
      }
      case 'too_small': {
        const params = { minimum: Number(issue.minimum) }
        if (issue.origin === 'string') return at('TooFewCharacters', params)
        return at(issue.origin === 'array' ? 'TooFewItems' : 'TooSmallValue', params)
      }
      case 'invalid_format':
        return at('InvalidFormat')
      case 'invalid_union': {
        // Reports the branch of the union with the fewest issues, or the whole value if there are no branches.
        const nearest = [...issue.errors].sort((a, b) => a.length - b.length)[0]
        return nearest && nearest.length > 0 ? zodIssues(nearest, path) : at('InvalidValue')
      }
      default:
        return at('InvalidValue')
    }
  })
}
