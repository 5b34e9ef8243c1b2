import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { AppChoices, PlannedApp } from '#shared/contract/moves.ts'
import classes from '../moves.module.css'
import { AppNames } from './app-names.tsx'

interface PlannedAppProps {
  p: string
  app: PlannedApp
  choice: AppChoices[number]
  readOnly: boolean
  onChange: (choice: AppChoices[number]) => void
}

/** One of several apps: whether it is included, its names, and a link to its plan. */
export function PlannedAppCard({ p, app, choice, readOnly, onChange }: PlannedAppProps) {
  const t = useTranslations('moves.plan')
  const { source, problems } = app
  return (
    <section className={classes.part} aria-label={choice.name}>
      <div className={classes.appHead}>
        <Checkbox
          label={t('apps.choose', { name: app.name })}
          description={t('apps.from', { space: source.space, app: source.app })}
          checked={choice.chosen}
          disabled={readOnly}
          onChange={({ currentTarget: { checked } }) => onChange({ ...choice, chosen: checked })}
        />
      </div>
      <div className={classes.partBody}>
        {choice.chosen ? (
          <Stack gap="sm">
            <AppNames
              app={choice}
              uidText={t(source.kind === 'imori' ? 'carried.uidText' : 'app.uidText')}
              readOnly={readOnly}
              onChange={({ uid, name }) => onChange({ ...choice, uid, name })}
            />
            {problems
              .filter(({ examples }) => examples.includes(choice.uid))
              .map(({ code, count }) => (
                <Text key={code} size="sm" c="var(--mantine-color-error)" role="alert">
                  {t(`problems.codes.${code}`, { count, places: 1 })}
                </Text>
              ))}
            <About app={app} />
            {app.warnings > 0 && <Text size="sm">{t('apps.warnings', { count: app.warnings })}</Text>}
            <div>
              <Button
                variant="default"
                size="compact-sm"
                component={Link}
                className={classes.appName ?? ''}
                {...{ to: `/${p}/-/moves/${app._id}/plan` }}
              >
                {t('apps.plan', { name: app.name })}
              </Button>
            </div>
          </Stack>
        ) : (
          <Text size="sm" c="dimmed">
            {t('apps.left')}
          </Text>
        )}
      </div>
    </section>
  )
}

function About({ app: { models, counts } }: { app: PlannedApp }) {
  const t = useTranslations('moves.plan')
  const size = useFileSize()
  const { documents, assets, bytes } = counts
  return (
    <Text size="sm" c="dimmed" component="div" className={classes.samples ?? ''}>
      {t('apps.counts', { models: models.length, documents, assets, size: size(bytes) })}
      <br />
      {models.map(({ name, documents: count }) => t('apps.model', { name, count })).join(t('comma'))}
    </Text>
  )
}
