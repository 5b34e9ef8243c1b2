import assets from './ja/assets.json'
import documents from './ja/documents.json'
import externalStorage from './ja/external-storage.json'
import fields from './ja/fields.json'
import imageSettings from './ja/image-settings.json'
import jobs from './ja/jobs.json'
import models from './ja/models.json'

/** What comes with the pages of models, documents and assets, and what is seen of jobs. */
export const messages = { assets, documents, externalStorage, fields, imageSettings, jobs, models }
