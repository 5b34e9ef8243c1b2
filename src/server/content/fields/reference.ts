import { maximumTargets } from '#shared/fields/reference.ts'
import type { ServerFieldType } from './field-type.ts'
import { reason, type SeenValues } from './received.ts'

export const reference: ServerFieldType<'REFERENCE'> = {
  usedFor: 'grouping',
  isIndexable: () => true,
  received: {
    kinds: { reference: {} },
    take(value, { origin }) {
      const document = origin.document(value)
      return document ? { input: document.id, notes: [document.model] } : null
    },
    likeness(seen) {
      const models = modelsOf(seen)
      if (models.length === 0 || models.length > maximumTargets) return null
      return { confidence: 0.98, why: reason('documents', { model: models.join(', ') }) }
    },
    hindrance(seen) {
      const models = modelsOf(seen)
      return models.length > maximumTargets
        ? reason('severalTargets', { models: models.slice(0, 10).join(', ') })
        : null
    },
    settings(seen) {
      const [modelUid, ...others] = modelsOf(seen)
      if (modelUid === undefined) return []
      return [{ modelUid, ...(others.length > 0 ? { otherModelUids: others } : {}) }]
    },
  },
}

/** Returns the `uid`s of the referenced models. Documents that do not exist have the model `''`, which is omitted. */
const modelsOf = (seen: SeenValues) => [...seen.notes('REFERENCE').keys()].filter((model) => model !== '')
