import type { PortableApp } from '#archive/app-format.ts'
import {
  chooseTitleField,
  type FieldBody,
  type FieldSurroundings,
  readCarriedFields,
} from '#server/features/models/models.service.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { type CustomType, customTypeUidProblem } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { carriedUidProblem, type UidKind } from '#shared/identifiers.ts'

/** What models and custom types are made of. Fields may say more than the format knows. */
export interface PartsInput {
  app: { uid: string }
  models: (Pick<PortableApp['models'][number], 'uid' | 'name' | 'description' | 'titleField'> & {
    fields: FieldBody[]
  })[]
  customFieldTypes: (Pick<PortableApp['models'][number], 'uid' | 'name' | 'description'> & {
    fields: FieldBody[]
  })[]
}

/** The parts of an app as they are made. */
export interface AppParts {
  customTypes: { uid: string; name: string; description: string; fields: Field[] }[]
  models: { uid: string; name: string; description: string; fields: Field[]; titleField: string | null }[]
}

/** Reads models and custom types, none of which is there. Throws 400 naming every culprit by its path. */
export function readParts({ app, models, customFieldTypes }: PartsInput): AppParts {
  const issues: Issue[] = [
    ...uidIssues('app', [app], 'app'),
    ...uidIssues('model', models, 'models'),
    ...repeated(customFieldTypes, 'customFieldTypes'),
  ]
  const modelUids = new Set(models.map(({ uid }) => uid))
  const made: (AppParts['customTypes'][number] & Pick<CustomType, 'uid' | 'fields'>)[] = []
  customFieldTypes.forEach(({ uid, name, description, fields }, index) => {
    const path = `customFieldTypes.${index}`
    const code = customTypeUidProblem(uid)
    if (code) issues.push({ path: `${path}.uid`, code })
    const around = { modelUids, customTypes: made, owner: uid }
    made.push({ uid, name, description, fields: fieldsOf(fields, around, path, issues) })
  })
  const read = models.map(({ uid, name, description, titleField, fields }, index) => {
    const own = fieldsOf(fields, { modelUids, customTypes: made }, `models.${index}`, issues)
    return { uid, name, description, fields: own, titleField: titleOf(own, titleField, index, issues) }
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return { customTypes: made, models: read }
}

function uidIssues(kind: UidKind, named: readonly { uid: string }[], path: string): Issue[] {
  const at = (index: number) => (kind === 'app' ? `${path}.uid` : `${path}.${index}.uid`)
  const wrong = named.flatMap(({ uid }, index): Issue[] => {
    const code = carriedUidProblem(kind, uid)
    return code ? [{ path: at(index), code }] : []
  })
  return [...wrong, ...repeated(named, path)]
}

const repeated = (named: readonly { uid: string }[], path: string): Issue[] =>
  named.flatMap(({ uid }, index): Issue[] =>
    named.findIndex((other) => other.uid === uid) < index
      ? [{ path: `${path}.${index}.uid`, code: 'DuplicatedValue' }]
      : [],
  )

function fieldsOf(
  bodies: FieldBody[],
  around: Omit<FieldSurroundings, 'existing'>,
  path: string,
  issues: Issue[],
): Field[] {
  try {
    return readCarriedFields(bodies, around)
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    for (const issue of error.issues)
      issues.push({ ...issue, path: issue.path.replace(/^data\.fields/, `${path}.fields`) })
    return []
  }
}

function titleOf(fields: Field[], uid: string | null, index: number, issues: Issue[]): string | null {
  if (fields.length === 0) return null
  try {
    return chooseTitleField(fields, uid, undefined)
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    issues.push({ path: `models.${index}.titleField`, code: 'InvalidValue' })
    return null
  }
}
