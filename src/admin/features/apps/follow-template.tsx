import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { App } from '#shared/contract/apps.ts'
import type { TemplateUpdate } from '#shared/contract/templates.ts'
import { forgetApp, templateUpdateQuery } from './templates.queries.ts'
import { UpdateCost } from './update-cost.tsx'

/**
 * Shows the template that the app was created from, and whether a newer version exists. Offers to undo or keep the last
 * update while it can be undone.
 */
export function FollowTemplate({ p, app }: { p: string; app: App }) {
  const t = useTranslations('templates.update')
  const { data } = useQuery(templateUpdateQuery(p, app.uid))
  if (!data?.template && !data?.undo) return null
  const { template, items, undo } = data
  return (
    <Section title={t('title')} description={template ? followed(t, template) : undefined}>
      <Stack gap="md">
        {template && <Text size="sm">{news(t, template, items)}</Text>}
        {undo && <Undo p={p} app={app} undo={undo} />}
        {items && (
          <div>
            <Button variant="default" component={Link} {...{ to: `/${p}/${app.uid}/-/template` }}>
              {t('open')}
            </Button>
          </div>
        )}
      </Stack>
    </Section>
  )
}

type Texts = ReturnType<typeof useTranslations<'templates.update'>>
type Template = NonNullable<TemplateUpdate['template']>

const followed = (t: Texts, { name, version }: Template): string =>
  version === null ? t('follows', { name }) : t('followsVersion', { name, version })

function news(t: Texts, { newest }: Template, items: TemplateUpdate['items']): string {
  if (!items) return t('newest')
  return newest === null ? t('available') : t('availableVersion', { version: newest })
}

interface UndoProps {
  p: string
  app: App
  undo: NonNullable<TemplateUpdate['undo']>
}

function Undo({ p, app, undo }: UndoProps) {
  const t = useTranslations('templates.update')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const params = { p, a: app.uid }
  const ask = async () => {
    try {
      const cost = await api('POST /api/project/{p}/app/{a}/templateUpdate:undo', {
        params,
        body: { dryRun: true },
      })
      confirm({
        title: t('undoTitle'),
        message: <UpdateCost p={p} a={app.uid} cost={cost} text={t('undoText')} />,
        action: t('undo'),
        danger: true,
        run: async () => {
          await api('POST /api/project/{p}/app/{a}/templateUpdate:undo', {
            params,
            body: { acceptLoss: true },
          })
          await forgetApp(queryClient, p, app.uid)
          toast.success(t('undone'))
        },
      })
    } catch (error) {
      toast.error(errorText(error))
    }
  }
  const accept = () =>
    confirm({
      title: t('acceptTitle'),
      message: t('acceptText'),
      action: t('accept'),
      run: async () => {
        await api('POST /api/project/{p}/app/{a}/templateUpdate:accept', { params })
        await queryClient.invalidateQueries({ queryKey: templateUpdateQuery(p, app.uid).queryKey })
        toast.success(t('accepted'))
      },
    })
  const dateTime = (time: string) =>
    format.dateTime(new Date(time), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Alert variant="light" title={t('undoNotice', { date: dateTime(undo.until), at: dateTime(undo.at) })}>
      <Group gap="sm">
        <Button variant="default" size="compact-sm" onClick={() => void ask()}>
          {t('undo')}
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={accept}>
          {t('accept')}
        </Button>
      </Group>
    </Alert>
  )
}
