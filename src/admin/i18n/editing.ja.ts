import accountSecurity from './ja/account-security.json'
import assets from './ja/assets.json'
import customTypes from './ja/custom-types.json'
import documents from './ja/documents.json'
import externalStorage from './ja/external-storage.json'
import fields from './ja/fields.json'
import imageSettings from './ja/image-settings.json'
import installation from './ja/installation.json'
import jobs from './ja/jobs.json'
import modelCopies from './ja/model-copies.json'
import models from './ja/models.json'
import secondFactor from './ja/second-factor.json'
import views from './ja/views.json'

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
