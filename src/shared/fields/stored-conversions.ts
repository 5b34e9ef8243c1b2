import type { FieldChange, ModelConversion } from './convert.ts'
import { type CustomType, definitionsIn, resolveFields } from './custom-types.ts'
import type { Field } from './index.ts'

/**
 * Changes of fields as they are kept. Fields only name their custom types, and those may have become others since: they
 * stand beside, as they were before and after.
 */
export interface StoredChanges {
  changes: FieldChange[]
  types?: { before: CustomType[]; after: CustomType[] }
}

export type StoredConversion = Omit<ModelConversion, 'changes' | 'takesBack'> &
  StoredChanges & { takesBack?: { version: number } & StoredChanges }

/** The changes of whole fields, to be kept as JSON. */
export function storeChanges(changes: FieldChange[]): StoredChanges {
  const before = definitionsIn(changes.map(({ from }) => from))
  const after = definitionsIn(changes.flatMap(({ to }) => to ?? []))
  return before.length + after.length === 0 ? { changes } : { changes, types: { before, after } }
}

/** The changes that were kept, their fields whole again. */
export function readChanges({ changes, types }: StoredChanges): FieldChange[] {
  if (!types) return changes
  const whole = ([field]: Field[]) => field as Field
  return changes.map(({ from, to }) => ({
    from: whole(resolveFields([from], types.before)),
    to: to && whole(resolveFields([to], types.after)),
  }))
}

/** A conversion, to be kept as JSON. */
export function storeConversion<C extends Omit<ModelConversion, 'version'>>(conversion: C) {
  const { changes, takesBack, ...more } = conversion
  const taken = takesBack && { version: takesBack.version, ...storeChanges(takesBack.changes) }
  return { ...more, ...storeChanges(changes), ...(taken ? { takesBack: taken } : {}) }
}

/** The conversion that was kept, its fields whole again. */
export function readConversion({ changes, types, takesBack, ...more }: StoredConversion): ModelConversion {
  return {
    ...more,
    changes: readChanges(types ? { changes, types } : { changes }),
    ...(takesBack ? { takesBack: { version: takesBack.version, changes: readChanges(takesBack) } } : {}),
  }
}
