import accountSecurity from './en/account-security.json'
import assets from './en/assets.json'
import customTypes from './en/custom-types.json'
import documents from './en/documents.json'
import externalStorage from './en/external-storage.json'
import fields from './en/fields.json'
import imageSettings from './en/image-settings.json'
import installation from './en/installation.json'
import jobs from './en/jobs.json'
import modelCopies from './en/model-copies.json'
import models from './en/models.json'
import secondFactor from './en/second-factor.json'
import views from './en/views.json'

/** What comes with the pages of models, documents and assets, and what is seen of jobs. */
export const messages = {
  accountSecurity,
  assets,
  customTypes,
  documents,
  externalStorage,
  fields,
  imageSettings,
  installation,
  jobs,
  modelCopies,
  models,
  secondFactor,
  views,
}
