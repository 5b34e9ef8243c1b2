import documents from './en/documents.json'
import fields from './en/fields.json'
import models from './en/models.json'

/** What comes with the pages of models and documents. */
export const messages = { documents, fields, models }
