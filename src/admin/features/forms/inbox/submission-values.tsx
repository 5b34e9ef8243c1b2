import { Anchor } from '@mantine/core'
import { IconDownload, IconPaperclip } from '@tabler/icons-react'
import { useLocale, useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { SubmissionDetail } from '#shared/contract/form-submissions.ts'
import type { Form } from '#shared/contract/forms.ts'
import type { FormField } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import classes from '../forms.module.css'
import { LinkedText } from './linked-text.tsx'

interface SubmissionValuesProps {
  p: string
  form: Form
  submission: SubmissionDetail
}

/** All values of a submission with the labels of the form. A value without a field has its name instead. */
export function SubmissionValues({ p, form, submission }: SubmissionValuesProps) {
  const t = useTranslations('forms.inbox.detail')
  const language = useLocale()
  const size = useFileSize()
  const fieldOf = (name: string) => form.fields.find((field) => field.name === name)
  const { _id: s, values, files } = submission
  const fileNames = [...new Set(files.map(({ name }) => name))]
  return (
    <dl className={classes.values}>
      {values.map(({ name, value }, index) => {
        const field = fieldOf(name)
        const texts = typeof value === 'string' ? [value] : value
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the values never change, and names may be equal.
          <div key={index}>
            <Term name={name} field={field} language={language} />
            {texts.length === 0 || texts.every((text) => text.trim() === '') ? (
              <dd className={classes.nothing}>{t('nothing')}</dd>
            ) : (
              texts.map((text, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the values never change.
                <dd key={at}>
                  <Value text={text} field={field} isEmail={text.trim().toLowerCase() === submission.email} />
                </dd>
              ))
            )}
          </div>
        )
      })}
      {fileNames.map((name) => (
        <div key={`file ${name}`}>
          <Term name={name} field={fieldOf(name)} language={language} />
          {files
            .filter((file) => file.name === name)
            .map((file) => (
              <dd key={file._id}>
                <Anchor
                  size="sm"
                  className={classes.file ?? ''}
                  href={`/api/project/${encodeURIComponent(p)}/form/${form._id}/message/${s}/file/${file._id}`}
                  download={file.fileName}
                  aria-label={t('download', { name: file.fileName })}
                >
                  <IconPaperclip size={16} aria-hidden="true" />
                  <span>{file.fileName}</span>
                  <span className={classes.nothing}>{size(file.fileSize)}</span>
                  <IconDownload size={16} aria-hidden="true" />
                </Anchor>
              </dd>
            ))}
        </div>
      ))}
    </dl>
  )
}

interface TermProps {
  name: string
  field: FormField | undefined
  language: Language
}

function Term({ name, field, language }: TermProps) {
  const label = field && textIn(field.label, language)
  return label ? <dt title={name}>{label}</dt> : <dt className={classes.wireName}>{name}</dt>
}

interface ValueProps {
  text: string
  field: FormField | undefined
  /** Whether the value is the e-mail address of the submission. */
  isEmail: boolean
}

function Value({ text, field, isEmail }: ValueProps) {
  const t = useTranslations('forms.inbox.detail')
  const language = useLocale()
  if (field?.type === 'choice' || field?.type === 'checkboxes') {
    const option = field.options.find(({ value }) => value === text)
    if (option) return <span title={text}>{textIn(option.label, language)}</span>
  }
  if (field?.type === 'consent' && text) return <span title={text}>{t('agreed')}</span>
  // `mailto:` parameters in a value could fill in other recipients.
  if (isEmail && !/[?&\s]/.test(text)) return <a href={`mailto:${encodeURI(text.trim())}`}>{text}</a>
  return <LinkedText text={text} />
}
