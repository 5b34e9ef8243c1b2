import { useId } from 'react'
import { useTranslations } from 'use-intl'
import type { FormField } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import classes from '../forms.module.css'

/** Texts of the preview in the language of the visitor, which may differ from the language of the admin. */
const words = {
  ja: { required: '必須', send: '送信する', choose: '選択してください', policy: '詳しく見る' },
  en: { required: 'Required', send: 'Send', choose: 'Choose an option', policy: 'Read more' },
}

/** Shows the form as visitors see it, without the styles of the site. Nothing can be sent. */
export function FormPreview({ fields, language }: { fields: readonly FormField[]; language: Language }) {
  const t = useTranslations('forms.preview')
  if (fields.length === 0) return <p className={classes.hint}>{t('empty')}</p>
  return (
    <div className={classes.preview} lang={language}>
      {fields.map((field, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be equal while the user edits them.
        <PreviewField key={index} field={field} language={language} />
      ))}
      <span className={classes.send}>{words[language].send}</span>
    </div>
  )
}

function PreviewField({ field, language }: { field: FormField; language: Language }) {
  const id = useId()
  const { required, choose, policy } = words[language]
  const label = textIn(field.label, language) || field.name
  const help = textIn(field.help, language)
  const mark = field.required && <span className={classes.previewMark}>{required}</span>
  const hint = help && (
    <span id={`${id}-help`} className={classes.previewHelp}>
      {help}
    </span>
  )
  const described = help ? { 'aria-describedby': `${id}-help` } : {}

  if (field.type === 'consent')
    return (
      <div>
        <label className={classes.previewChoice}>
          <input type="checkbox" {...described} /> {label} {mark}
        </label>
        {field.link && <span className={classes.previewLink}>{policy}</span>}
        {hint}
      </div>
    )
  if ((field.type === 'choice' && field.display === 'radio') || field.type === 'checkboxes')
    return (
      <fieldset className={classes.plain}>
        <legend>
          {label} {mark}
        </legend>
        {field.options.map((option, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values may be equal while the user edits them.
          <label key={index} className={classes.previewChoice}>
            <input type={field.type === 'choice' ? 'radio' : 'checkbox'} name={id} />{' '}
            {textIn(option.label, language) || option.value || '…'}
          </label>
        ))}
        {hint}
      </fieldset>
    )
  return (
    <div>
      <label htmlFor={id} className={classes.previewLabel}>
        {label} {mark}
      </label>
      {field.type === 'textarea' ? (
        <textarea id={id} rows={4} {...described} />
      ) : field.type === 'choice' ? (
        <select id={id} {...described}>
          <option>{choose}</option>
          {field.options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: values may be equal while the user edits them.
            <option key={index}>{textIn(option.label, language) || option.value}</option>
          ))}
        </select>
      ) : field.type === 'file' ? (
        // Otherwise a user could choose a file that goes nowhere.
        <input id={id} type="file" disabled {...described} />
      ) : (
        <input id={id} type={inputTypes[field.type]} autoComplete="off" {...described} />
      )}
      {hint}
    </div>
  )
}

const inputTypes = { text: 'text', email: 'email', phone: 'tel', number: 'number', date: 'date' } as const
