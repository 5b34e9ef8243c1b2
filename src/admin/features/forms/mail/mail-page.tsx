import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { ChoiceSetting, SwitchSetting } from '#admin/fields/settings-inputs.tsx'
import { ApiError } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Form } from '#shared/contract/forms.ts'
import { formMailLimits } from '#shared/forms/mail.ts'
import { type Language, languages } from '#shared/languages.ts'
import { LanguageSwitch } from '../fields/localized-input.tsx'
import { FormFrame } from '../form-frame.tsx'
import classes from '../forms.module.css'
import { keepForm } from '../forms.queries.ts'
import { useEditedForm } from '../use-edited-form.ts'
import { AddressesInput, addressName } from './addresses-input.tsx'
import own from './mail.module.css'
import { type MailKind, MailPreview } from './mail-preview.tsx'
import { addressIssues, bodyOf, isUnwritten, suggestReply, valuesOf } from './mail-values.ts'
import { ReplyInputs } from './reply-inputs.tsx'

/** `/{p}/-/forms/{form}/mail` */
export function MailPage() {
  return <FormFrame>{(form, p) => <FormMails key={form._id} p={p} loaded={form} />}</FormFrame>
}

/** The mails about new submissions of a form, with a preview. Read-only for users who may not manage forms. */
export function FormMails({ p, loaded }: { p: string; loaded: Form }) {
  const uiLanguage = useLocale()
  const { form, setForm, reload } = useEditedForm(p, loaded)
  const [language, setLanguage] = useState<Language>(uiLanguage)
  const [kind, setKind] = useState<MailKind>('notification')
  return (
    <MailsForm
      key={form.version}
      p={p}
      form={form}
      language={language}
      setLanguage={setLanguage}
      kind={kind}
      setKind={setKind}
      onSaved={setForm}
      onReload={reload}
    />
  )
}

/** Returns the line of the first address with an issue. 0: all of them are valid, or there are too many. */
const firstWrong = (to: string): number => [...addressIssues(to).keys()].sort((a, b) => a - b)[0] ?? 0

interface MailsFormProps {
  p: string
  form: Form
  /** The language of the reply's inputs. */
  language: Language
  setLanguage: (language: Language) => void
  /** The mail in the preview. */
  kind: MailKind
  setKind: (kind: MailKind) => void
  onSaved: (form: Form) => void
  /** Loads the current settings, which replace the input. */
  onReload: () => Promise<void>
}

function MailsForm(props: MailsFormProps) {
  const { p, form: current, language, setLanguage, kind, setKind, onSaved, onReload } = props
  const t = useTranslations('forms.mail')
  const common = useTranslations('common')
  const languageNames = useTranslations('shell.languages')
  const queryClient = useQueryClient()
  const sendsMail = useSendsMail()
  const [isOutdated, setOutdated] = useState(false)
  const mayManage = useCanInSpace(p)('form.manage')
  const form = useEndpointForm('PUT /api/project/{p}/form/{id}', {
    values: valuesOf(current),
    params: { p, id: current._id },
    readOnly: !mayManage || current.deletedAt !== null,
    toBody: (values) => bodyOf(values, current),
    paths: {
      to: 'data.notification.to',
      language: null,
      // The server refuses values for other addresses as a whole.
      includesValues: 'data.notification',
      enabled: null,
      subject: 'data.reply.subject',
      body: 'data.reply.body',
      replyTo: 'data.reply.replyTo',
    },
    issueText: (issue, name) => {
      if (name === 'to') return addressIssueText(issue)
      if (name === 'replyTo' && issue.code === 'InvalidFormat') return t('addressFormat')
      return name === 'includesValues' && issue.code === 'NotAllowed' ? t('notification.notAllowed') : null
    },
    inputOf: (name): string => (name === 'to' ? addressName(firstWrong(form.values.to)) : name),
    texts: { VersionConflict: t('changedMeanwhile') },
    failed: (error) => {
      setOutdated(error instanceof ApiError && error.code === 'VersionConflict')
      return false
    },
    saved: async ({ form: saved }) => {
      toast.success(common('saved'))
      await keepForm(queryClient, p, saved)
      onSaved(saved)
    },
  })
  const { values, set, errorOf, readOnly } = form

  function addressIssueText({ code, params }: { code: string; params?: object }) {
    if (code === 'InvalidFormat') return t('addressFormat')
    if (code === 'DuplicatedValue') return t('notification.twice')
    return issueText({ code, params } as Parameters<typeof issueText>[0])
  }

  function show(next: Language) {
    setLanguage(next)
    if (kind !== 'notification') setKind(next)
  }

  function toggleReply(enabled: boolean) {
    set('enabled', enabled)
    if (!enabled) return
    setKind(language)
    if (!isUnwritten(values)) return
    const { subject, body } = suggestReply(current)
    set('subject', subject)
    set('body', body)
  }

  const content = (
    <EndpointForm form={form} guarded ofSections autoComplete="off">
      <Section
        title={t('notification.title')}
        description={t('notification.text', {
          together: formMailLimits.singleTogether,
          perHour: formMailLimits.singlePerHour,
          minutes: formMailLimits.digestMinutes,
        })}
      >
        <FormStack>
          <AddressesInput
            value={values.to}
            onChange={(to) => {
              set('to', to)
              // Other addresses may be allowed.
              set('includesValues', values.includesValues)
            }}
            error={errorOf('to')}
            issueText={addressIssueText}
            readOnly={readOnly}
          />
          <SwitchSetting
            name="includesValues"
            label={t('notification.includesValues')}
            description={t(values.includesValues ? 'notification.withValues' : 'notification.withoutValues')}
            checked={values.includesValues}
            onChange={(includesValues) => {
              set('includesValues', includesValues)
              setKind('notification')
            }}
            error={errorOf('includesValues')}
            readOnly={readOnly}
          />
          <ChoiceSetting
            label={t('notification.language')}
            value={values.language}
            choices={languages.map((value) => ({ value, label: languageNames(value) }))}
            onChange={(next) => {
              set('language', next)
              setKind('notification')
            }}
            readOnly={readOnly}
          />
        </FormStack>
      </Section>
      <Section
        title={t('reply.title')}
        description={t('reply.text')}
        actions={
          values.enabled && <LanguageSwitch label={t('reply.language')} value={language} onChange={show} />
        }
      >
        <FormStack>
          <SwitchSetting
            label={t('reply.enabled')}
            description={t('reply.limits', {
              perAddress: formMailLimits.repliesPerAddress,
              perSpace: formMailLimits.repliesPerSpace,
            })}
            checked={values.enabled}
            onChange={toggleReply}
            readOnly={readOnly}
          />
          {values.enabled && (
            <ReplyInputs
              p={p}
              form={current}
              inputs={form}
              language={language}
              onFocus={() => setKind(language)}
            />
          )}
        </FormStack>
      </Section>
      <SaveBar form={form} mb="xl">
        {isOutdated && (
          <Button variant="default" onClick={() => void onReload()}>
            {t('reload')}
          </Button>
        )}
      </SaveBar>
    </EndpointForm>
  )
  return (
    <>
      {!sendsMail && (
        <div className={own.note}>
          <NoMailNote text={t('noServer')} />
        </div>
      )}
      {mayManage && current.deletedAt === null ? (
        <div className={classes.editor}>
          {content}
          <MailPreview
            p={p}
            form={current}
            values={values}
            kind={kind}
            onKind={(next) => {
              setKind(next)
              if (next !== 'notification') setLanguage(next)
            }}
          />
        </div>
      ) : (
        content
      )}
    </>
  )
}
