import { Alert, Button, Group, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText, loadErrorText } from '#admin/lib/errors.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'
import type { Form } from '#shared/contract/forms.ts'
import classes from '../forms.module.css'
import { formQuery } from '../forms.queries.ts'
import own from './mail.module.css'
import { isUnwritten, type MailValues } from './mail-values.ts'

type Texts = Pick<MailValues, 'language' | 'includesValues' | 'subject' | 'body'>

const kinds = ['notification', 'ja', 'en'] as const
/** A mail of a form: the notification, or the reply in a language. */
export type MailKind = (typeof kinds)[number]

/** Returns the body that previews or tests a mail. It contains only what affects the text. */
function exampleOf(kind: MailKind, { language, includesValues, subject, body }: Texts) {
  return kind === 'notification'
    ? { data: { kind, notification: { to: [], language, includesValues } } }
    : {
        data: {
          kind: 'reply' as const,
          language: kind,
          reply: { enabled: false, subject, body, replyTo: null },
        },
      }
}

interface MailPreviewProps {
  p: string
  form: Form
  /** The texts as they are edited. */
  values: MailValues
  kind: MailKind
  onKind: (kind: MailKind) => void
}

/** Shows the mails with example values and with the unsaved texts, and sends them to the user as a test. */
export function MailPreview({ p, form, values, kind, onKind }: MailPreviewProps) {
  const t = useTranslations('forms.mail.preview')
  const { language, includesValues, subject, body } = values
  const { text: settled } = useSettledSearch(
    JSON.stringify({ language, includesValues, subject, body } satisfies Texts),
    400,
  )
  const texts = JSON.parse(settled) as Texts
  const isEmpty = kind !== 'notification' && isUnwritten(texts)
  const example = exampleOf(kind, texts)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [...formQuery(p, form._id).queryKey, 'mail', form.version, example],
    queryFn: ({ signal }) =>
      api('POST /api/project/{p}/form/{id}/mail:preview', {
        params: { p, id: form._id },
        body: example,
        signal,
      }),
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
  })
  return (
    <section className={classes.previewCard} aria-labelledby="mail-preview">
      <Title order={2} id="mail-preview" mb="sm">
        {t('title')}
      </Title>
      <div className={own.kinds}>
        <SegmentedControl
          aria-label={t('kind')}
          size="xs"
          value={kind}
          data={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          onChange={(next) => onKind(next as MailKind)}
        />
      </div>
      {isEmpty ? (
        <p className={classes.hint}>{t('empty')}</p>
      ) : error ? (
        <Alert color="orange" variant="light">
          {loadErrorText(error)}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => void refetch()}>
            {t('retry')}
          </Button>
        </Alert>
      ) : data ? (
        <article
          className={own.mail}
          aria-label={t(`kinds.${kind}`)}
          aria-busy={isFetching && isPlaceholderData}
          lang={kind === 'notification' ? texts.language : kind}
        >
          <p className={own.subject}>{data.subject || '…'}</p>
          <p className={own.text}>{data.text}</p>
        </article>
      ) : (
        <Skeleton height={200} />
      )}
      <Text size="xs" c="dimmed" mt="xs">
        {t('note')}
      </Text>
      {/* The result belongs to one mail. */}
      <SendTest key={kind} p={p} form={form} kind={kind} values={values} disabled={isEmpty} />
    </section>
  )
}

interface SendTestProps extends Pick<MailPreviewProps, 'p' | 'form' | 'kind' | 'values'> {
  disabled: boolean
}

function SendTest({ p, form, kind, values, disabled }: SendTestProps) {
  const t = useTranslations('forms.mail.preview')
  const [sending, setSending] = useState(false)
  const [result, setResult] = useState<{ text: string; isError: boolean } | null>(null)
  if (!useSendsMail()) return null

  async function send() {
    setSending(true)
    setResult(null)
    try {
      const { to } = await api('POST /api/project/{p}/form/{id}/mail:test', {
        params: { p, id: form._id },
        body: exampleOf(kind, values),
      })
      setResult({ text: t('sent', { to }), isError: false })
    } catch (error) {
      const texts = {
        EmailIsNotVerified: t('notVerified'),
        TooManyRequests: t('tooMany'),
        NoMailServer: t('noServer'),
      }
      setResult({ text: errorText(error, texts), isError: true })
    } finally {
      setSending(false)
    }
  }

  return (
    <Group gap="xs" mt="md" align="center">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconSend size={15} />}
        loading={sending}
        disabled={disabled}
        onClick={() => void send()}
      >
        {t('send')}
      </Button>
      <Text
        size="sm"
        role={result?.isError ? 'alert' : 'status'}
        {...(result?.isError ? { c: 'var(--mantine-color-error)' } : {})}
        style={{ overflowWrap: 'anywhere' }}
      >
        {result?.text}
      </Text>
    </Group>
  )
}
