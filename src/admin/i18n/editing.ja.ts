import documents from './ja/documents.json'
import fields from './ja/fields.json'
import models from './ja/models.json'

/** What comes with the pages of models and documents. */
export const messages = { documents, fields, models }
