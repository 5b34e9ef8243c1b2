import { Button, Group, Radio, Text, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { spacesQuery } from '#admin/lib/queries.ts'
import { suggestUid, uidText } from '#admin/lib/uid.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useSuggestedUid } from '#admin/lib/use-suggested-uid.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, SkeletonList } from '#admin/ui/states.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import classes from './new-space-page.module.css'

const starts = ['blog', 'empty'] as const

/** `/spaces/new` */
export function NewSpacePage() {
  const t = useTranslations('spaces')
  const { data, error } = useQuery(spacesQuery())
  return (
    <Page title={t('new')} description={t('newText')} width="narrow">
      {!data && !error && <SkeletonList />}
      {data && !data.mayCreateSpaces && (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('notAllowed.title')}
          text={t('notAllowed.text')}
          action={
            <Button component={Link} to="/spaces" variant="default">
              {t('toSpaces')}
            </Button>
          }
        />
      )}
      {(data ? data.mayCreateSpaces : error) && <NewSpaceForm isFirst={data?.projects.length === 0} />}
    </Page>
  )
}

function NewSpaceForm({ isFirst }: { isFirst: boolean }) {
  const t = useTranslations('spaces')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useEndpointForm('POST /api/project', {
    values: { name: '', uid: '', start: (isFirst ? 'blog' : 'empty') as (typeof starts)[number] },
    toBody: ({ name, uid, start }) => ({
      project: { name, uid },
      ...(start === 'blog' ? { template: 'blog' as const } : {}),
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
  })
  const { nameProps, suggest } = useSuggestedUid(form, (name, reading) => suggestUid('space', name, reading))
  const { values, set, field, problem, saving, isDirty, formProps } = form

  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <UnsavedGuard when={isDirty} />
        <TextInput
          {...nameProps}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          maxLength={100}
          autoFocus
          required
        />
        <UidField
          {...field('uid')}
          kind="space"
          current={values.uid}
          suggest={suggest}
          label={t('uid')}
          description={t('uidHint')}
          placeholder={common('uidExample', { uid: 'my-space' })}
          required
        />
        <Radio.Group
          label={t('start')}
          value={values.start}
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
  )
}
