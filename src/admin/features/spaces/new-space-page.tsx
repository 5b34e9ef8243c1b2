import { Button, Group, Radio, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { spacesQuery } from '#admin/lib/queries.ts'
import { suggestUid, uidText } from '#admin/lib/uid.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { readingOf, useReading } from '#admin/lib/use-reading.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import classes from './new-space-page.module.css'

const starts = ['blog', 'empty'] as const

/** `/spaces/new` */
export function NewSpacePage() {
  const t = useTranslations('spaces')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const isFirst = useQuery(spacesQuery()).data?.length === 0
  // The sample is the default for the first space, which is only known once the spaces have loaded.
  const chosen = (start: (typeof starts)[number] | null) => start ?? (isFirst ? 'blog' : 'empty')
  const { values, set, touched, field, problem, saving, isDirty, formProps } = useEndpointForm(
    'POST /api/project',
    {
      values: { name: '', uid: '', start: null as (typeof starts)[number] | null },
      toBody: ({ name, uid, start }) => ({
        project: { name, uid },
        ...(chosen(start) === 'blog' ? { template: 'blog' as const } : {}),
      }),
      paths: { name: 'project.name', uid: 'project.uid', start: null },
      codes: { SpaceUidIsAlreadyInUse: 'uid' },
      check: ({ name, uid }) => ({
        name: name.trim() ? null : issueText({ code: 'Required' }),
        uid: uidText('space', uid),
      }),
      saved: async ({ project }) => {
        await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
        await navigate({ to: '/$p', params: { p: project.uid } })
      },
    },
  )
  const uid = values.uid
  const start = chosen(values.start)

  const suggest = (name: string) => set('uid', suggestUid('space', name, readingOf(name)))
  /** The uid follows the name until it is edited. */
  function follow(name: string) {
    if (!touched('uid') || values.uid === '') suggest(name)
  }
  const reading = useReading(follow)

  return (
    <Page title={t('new')} description={t('newText')} width="narrow">
      <form {...formProps}>
        <FormStack>
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput
            {...field('name', follow)}
            {...reading}
            label={t('name')}
            placeholder={t('namePlaceholder')}
            maxLength={100}
            autoFocus
            required
          />
          <UidField
            {...field('uid')}
            kind="space"
            current={uid}
            suggest={() => suggest(values.name)}
            label={t('uid')}
            description={t('uidHint')}
            placeholder={common('uidExample', { uid: 'my-space' })}
            required
          />
          <Radio.Group
            label={t('start')}
            value={start}
            onChange={(next) => set('start', next as (typeof starts)[number])}
          >
            <div className={classes.starts}>
              {starts.map((one) => (
                <Radio.Card key={one} value={one} className={classes.start ?? ''}>
                  <Group wrap="nowrap" align="flex-start" gap="sm">
                    <Radio.Indicator mt={4} />
                    <div>
                      <Text fw={600}>{t(`starts.${one}`)}</Text>
                      <Text size="sm" c="dimmed">
                        {t(`startTexts.${one}`)}
                      </Text>
                    </div>
                  </Group>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
          <Group>
            <Button type="submit" loading={saving}>
              {t('create')}
            </Button>
            <Button component={Link} to="/spaces" variant="default">
              {common('cancel')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Page>
  )
}
