import type { ServerFieldType } from './field-type.ts'
import { reason, type SeenValues } from './received.ts'

export const reference: ServerFieldType<'REFERENCE'> = {
  usedFor: 'grouping',
  isIndexable: () => true,
  received: {
    take(value, { origin }) {
      const document = origin.document(value)
      return document ? { input: document.id, notes: [document.model] } : null
    },
    likeness(seen) {
      const [model, ...others] = modelsOf(seen)
      // Where it comes from, a field refers to documents of one model.
      if (model === undefined || others.length > 0) return null
      return { confidence: 0.98, why: reason('documents', { model }) }
    },
    hindrance(seen) {
      const models = modelsOf(seen)
      return models.length > 1 ? reason('severalTargets', { models: models.slice(0, 10).join(', ') }) : null
    },
    settings(seen) {
      const [modelUid] = modelsOf(seen)
      return modelUid === undefined ? [] : [{ modelUid }]
    },
  },
}

/** Of documents that are nowhere no model is known. */
const modelsOf = (seen: SeenValues) => [...seen.notes('REFERENCE').keys()].filter((model) => model !== '')
