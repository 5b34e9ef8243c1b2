import documents from './ja/documents.json'
import externalStorage from './ja/external-storage.json'
import fields from './ja/fields.json'
import imageSettings from './ja/image-settings.json'
import jobs from './ja/jobs.json'
import models from './ja/models.json'

/** What comes with the pages of models and documents, and what is seen of jobs. */
export const messages = { documents, externalStorage, fields, imageSettings, jobs, models }
