import { customTypeUidProblem } from '#shared/fields/custom-types.ts'
import { serverTypeOf } from '../fields/index.ts'
import type { FoundTypes, SeenInside, SeenValues } from '../fields/received.ts'
import { candidates, settingsOf } from './choices.ts'
import { type Seen, SeenFields } from './seen.ts'

/**
 * A type for the objects of one or more fields. Fields share it if their objects name the same type, or have equal keys
 * and at least one of the fields does not name its type.
 */
export interface FoundCustomType {
  uid: string
  /** The type's name in the values; null if the values do not name it. */
  name: string | null
  fields: SeenFields
  usedBy: string[]
  /** Inner custom types, by the `slot` of their objects. */
  madeOf: Map<string, FoundCustomType>
}

/** Objects in the values of a field that name the same type, or no type. */
interface Part {
  name: string | null
  inside: SeenFields
  slot: string
}

/**
 * Assigns a custom type to the objects in each field of the imported values. Fields share a type if their objects name
 * the same type, or have equal keys and at least one of the fields does not name its type. No custom type may contain
 * itself at any depth.
 */
export class CustomTypes implements FoundTypes {
  readonly #found: FoundCustomType[] = []
  readonly #of = new Map<SeenInside, FoundCustomType>()

  /** Finds the custom types. `models`: the fields of all models, by model `uid`. */
  constructor(models: ReadonlyMap<string, SeenFields>) {
    for (const [uid, fields] of models) this.#look(fields, uid, undefined)
    // The objects inside a type are merged from all fields that use the type.
    for (const type of this.#found)
      for (const { slot, inside } of partsOf(type.fields)) {
        const inner = type.madeOf.get(slot)
        if (inner) this.#of.set(inside, inner)
      }
  }

  uidOf(inside: SeenInside): string | undefined {
    return this.#of.get(inside)?.uid
  }

  settingsOf(type: string, seen: SeenValues): Record<string, unknown> | undefined {
    return settingsOf(type, seen as Seen, this)[0]
  }

  /** Returns the found types, each after the types that it contains. */
  inOrder(): FoundCustomType[] {
    const ordered = new Set<FoundCustomType>()
    const put = (type: FoundCustomType) => {
      for (const inner of type.madeOf.values()) if (!ordered.has(inner)) put(inner)
      ordered.add(type)
    }
    for (const type of this.#found) put(type)
    return [...ordered]
  }

  #look(fields: SeenFields, path: string, owner: FoundCustomType | undefined): void {
    for (const part of partsOf(fields)) {
      const at = `${path}.${part.slot}`
      const type = this.#typeOf(part, owner)
      if (!type) continue
      this.#of.set(part.inside, type)
      owner?.madeOf.set(part.slot, type)
      if (!type.usedBy.includes(at)) type.usedBy.push(at)
      type.fields.merge(part.inside)
      this.#look(part.inside, at, type)
    }
  }

  /** Returns the type for these objects: an existing one, a new one, or undefined if no type is possible. */
  #typeOf({ name, inside, slot }: Part, owner: FoundCustomType | undefined): FoundCustomType | undefined {
    const there = owner?.madeOf.get(slot)
    if (there) return there
    const known =
      (name !== null && this.#found.find((type) => type.name === name)) ||
      this.#found.find((type) => (name === null || type.name === null) && haveSameKeys(type.fields, inside))
    const isCircle = known && owner && (known === owner || reaches(known, owner))
    if (known && !isCircle) {
      if (name !== null && known.name === null) {
        known.name = name
        known.uid = this.#freeUid(name, known)
      }
      return known
    }
    // A type with this name would contain itself.
    if (isCircle && known.name === name && name !== null) return undefined
    const type: FoundCustomType = {
      uid: '',
      name,
      fields: new SeenFields(),
      usedBy: [],
      madeOf: new Map(),
    }
    type.uid = this.#freeUid(name ?? slot, type)
    this.#found.push(type)
    return type
  }

  #freeUid(wanted: string, type: FoundCustomType): string {
    const base = customTypeUidProblem(wanted) ? 'part' : wanted.slice(0, 60)
    const others = this.#found.filter((other) => other !== type)
    for (let number = 1; ; number++) {
      const uid = number === 1 ? base : `${base}-${number}`
      const holder = others.find((other) => other.uid === uid)
      if (!holder) return uid
      // A name that occurs in the values takes precedence over a generated one.
      if (type.name === uid && holder.name === null) {
        holder.uid = ''
        holder.uid = this.#freeUid(`${uid}-2`, holder)
        return uid
      }
    }
  }
}

function partsOf(fields: SeenFields): Part[] {
  return fields.fields().flatMap((seen) => {
    const [best] = candidates(seen)
    const parts = (best && serverTypeOf(best).received.customTypes?.(seen)) ?? []
    return parts.map(({ name, inside }): Part => {
      const slot = name === null ? seen.name : `${seen.name}.${name}`
      return { name, inside: inside as SeenFields, slot }
    })
  })
}

function haveSameKeys(a: SeenFields, b: SeenFields): boolean {
  return a.keys.size === b.keys.size && [...a.keys.keys()].every((key) => b.keys.has(key))
}

function reaches(from: FoundCustomType, to: FoundCustomType): boolean {
  return [...from.madeOf.values()].some((inner) => inner === to || reaches(inner, to))
}
