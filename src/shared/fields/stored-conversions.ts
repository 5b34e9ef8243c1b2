import type { FieldChange, ModelConversion } from './convert.ts'
import { type CustomType, definitionsIn, resolveFields } from './custom-types.ts'
import type { Field } from './index.ts'

/**
 * Changes of fields in their stored form. Fields refer to custom types only by uid, and those types may change later,
 * so the state of the types before and after is stored with the changes.
 */
export interface StoredChanges {
  changes: FieldChange[]
  types?: { before: CustomType[]; after: CustomType[] }
}

export type StoredConversion = Omit<ModelConversion, 'changes' | 'takesBack'> &
  StoredChanges & { takesBack?: { version: number } & StoredChanges }

/** Converts changes of resolved fields to their stored JSON form. */
export function storeChanges(changes: FieldChange[]): StoredChanges {
  const before = definitionsIn(changes.map(({ from }) => from))
  const after = definitionsIn(changes.flatMap(({ to }) => to ?? []))
  return before.length + after.length === 0 ? { changes } : { changes, types: { before, after } }
}

/** Reads stored changes and resolves their fields. */
export function readChanges({ changes, types }: StoredChanges): FieldChange[] {
  if (!types) return changes
  const whole = ([field]: Field[]) => field as Field
  return changes.map(({ from, to }) => ({
    from: whole(resolveFields([from], types.before)),
    to: to && whole(resolveFields([to], types.after)),
  }))
}

/** Converts a model conversion to its stored JSON form. */
export function storeConversion<C extends Omit<ModelConversion, 'version'>>(conversion: C) {
  const { changes, takesBack, ...more } = conversion
  const taken = takesBack && { version: takesBack.version, ...storeChanges(takesBack.changes) }
  return { ...more, ...storeChanges(changes), ...(taken ? { takesBack: taken } : {}) }
}

/** Reads a stored model conversion and resolves its fields. */
export function readConversion({ changes, types, takesBack, ...more }: StoredConversion): ModelConversion {
  return {
    ...more,
    changes: readChanges(types ? { changes, types } : { changes }),
    ...(takesBack ? { takesBack: { version: takesBack.version, changes: readChanges(takesBack) } } : {}),
  }
}
