import assets from './en/assets.json'
import documents from './en/documents.json'
import externalStorage from './en/external-storage.json'
import fields from './en/fields.json'
import imageSettings from './en/image-settings.json'
import jobs from './en/jobs.json'
import models from './en/models.json'

/** What comes with the pages of models, documents and assets, and what is seen of jobs. */
export const messages = { assets, documents, externalStorage, fields, imageSettings, jobs, models }
