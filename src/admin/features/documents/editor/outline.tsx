import { Anchor, Text, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { tabsOf } from '#admin/fields/tabs.ts'
import type { Field } from '#shared/fields/index.ts'
import { useEditor, useIssues } from './editor-context.ts'
import { jumpTo } from './jump-to.ts'
import classes from './outline.module.css'
import { useIsShown } from './use-is-shown.ts'

/** The names of the fields of a long form, each linked to its input. Fields with issues are marked. */
export function Outline() {
  const t = useTranslations('documents.editor')
  const { model } = useEditor()
  const tabs = tabsOf(model.fields)
  return (
    <nav aria-label={t('outline')} className={classes.outline}>
      <Text size="xs" c="dimmed" aria-hidden="true">
        {t('outline')}
      </Text>
      {tabs.map((tab) => (
        <section key={tab.fields[0]?._id}>
          {tabs.length > 1 && (
            <Text size="xs" fw={600} mt={6}>
              {tab.name ?? t('mainTab')}
            </Text>
          )}
          <ul className={classes.fields}>
            {tab.fields.map((field) =>
              field.condition ? (
                <ConditionalEntry key={field._id} field={field} />
              ) : (
                <Entry key={field._id} field={field} />
              ),
            )}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function ConditionalEntry({ field }: { field: Field }) {
  const issues = useIssues(field.uid)
  return useIsShown(field) || issues.length > 0 ? <Entry field={field} /> : null
}

function Entry({ field }: { field: Field }) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const isBroken = useIssues(field.uid).length > 0

  return (
    <li data-broken={isBroken || undefined}>
      <Anchor
        component="button"
        type="button"
        size="sm"
        c="var(--mantine-color-text)"
        className={classes.name ?? ''}
        onClick={() => jumpTo(field.uid, editor)}
      >
        {field.name}
        {isBroken && <VisuallyHidden>{t('brokenField')}</VisuallyHidden>}
      </Anchor>
      {isBroken && <IconAlertTriangle size={14} aria-hidden="true" />}
    </li>
  )
}
