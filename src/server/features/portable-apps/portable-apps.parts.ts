import type { PortableApp } from '#archive/app-format.ts'
import {
  chooseTitleField,
  type FieldBody,
  type FieldSurroundings,
  readCarriedFields,
} from '#server/features/models/models.service.ts'
import { Pace } from '#server/lib/pace.ts'
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
export function readParts(input: PartsInput): AppParts {
  const steps = partByPart(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** {@link readParts} for others to go on meanwhile: an app may have a thousand models. */
export async function readManyParts(input: PartsInput): Promise<AppParts> {
  const steps = partByPart(input)
  const pace = new Pace()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await pace.giveWay()
  }
}

/** Stops after each part. */
function* partByPart({ app, models, customFieldTypes }: PartsInput): Generator<void, AppParts> {
  const issues: Issue[] = [
    ...uidIssues('app', [app], 'app'),
    ...uidIssues('model', models, 'models'),
    ...repeated(customFieldTypes, 'customFieldTypes'),
  ]
  const modelUids = new Set(models.map(({ uid }) => uid))
  const made: (AppParts['customTypes'][number] & Pick<CustomType, 'uid' | 'fields'>)[] = []
  for (const [index, { uid, name, description, fields }] of customFieldTypes.entries()) {
    const path = `customFieldTypes.${index}`
    const code = customTypeUidProblem(uid)
    if (code) issues.push({ path: `${path}.uid`, code })
    const around = { modelUids, customTypes: made, owner: uid }
    made.push({ uid, name, description, fields: fieldsOf(fields, around, path, issues) })
    yield
  }
  const read: AppParts['models'] = []
  for (const [index, { uid, name, description, titleField, fields }] of models.entries()) {
    const own = fieldsOf(fields, { modelUids, customTypes: made }, `models.${index}`, issues)
    read.push({ uid, name, description, fields: own, titleField: titleOf(own, titleField, index, issues) })
    yield
  }
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

function repeated(named: readonly { uid: string }[], path: string): Issue[] {
  const seen = new Set<string>()
  return named.flatMap(({ uid }, index): Issue[] => {
    if (seen.has(uid)) return [{ path: `${path}.${index}.uid`, code: 'DuplicatedValue' }]
    seen.add(uid)
    return []
  })
}

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
