import { ActionIcon, Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { Section } from '#admin/ui/section.tsx'
import type { GroupRoles } from '#shared/contract/group-roles.ts'
import classes from './group-roles.module.css'

export type AppLine = GroupRoles['appGroups'][number] & { key: number }
let nextKey = 0
export const appLineOf = (line: GroupRoles['appGroups'][number]): AppLine => ({ ...line, key: nextKey++ })

/** Returns whether the rule has no group name, or the name of an earlier rule of the same app. */
export const isWrongAppLine = (lines: AppLine[], index: number) => {
  const line = lines[index]
  const name = line?.name.trim().normalize()
  const isSame = (other: AppLine) => other.app === line?.app && other.name.trim().normalize() === name
  return !name || lines.findIndex(isSame) < index
}

interface Props {
  p: string
  lines: AppLine[]
  set: (lines: AppLine[]) => void
  wrong: string | null | undefined
}

/** Edits the rules that assign roles in apps to groups. The first matching rule of each app applies. */
export function AppLines({ p, lines, set, wrong }: Props) {
  const t = useTranslations('groupRoles.apps')
  const apps = useQuery(appsQuery(p)).data ?? []
  const [first] = apps
  const change = (index: number, data: Partial<AppLine>) =>
    set(lines.map((line, at) => (at === index ? { ...line, ...data } : line)))
  const move = (from: number, to: number) => {
    const moved = [...lines]
    moved.splice(to, 0, ...moved.splice(from, 1))
    set(moved)
  }
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="sm" align="flex-start">
        {lines.length === 0 && (
          <Text size="sm" c="dimmed">
            {t(first ? 'none' : 'noApps')}
          </Text>
        )}
        {lines.length > 0 && (
          <ol className={classes.lines}>
            {lines.map((line, index) => (
              <li key={line.key} className={classes.line}>
                <TextInput
                  className={classes.name ?? ''}
                  aria-label={t('name', { number: index + 1 })}
                  placeholder={t('placeholder')}
                  value={line.name}
                  onChange={(event) => change(index, { name: event.currentTarget.value })}
                  error={Boolean(wrong) && isWrongAppLine(lines, index)}
                  maxLength={256}
                  autoComplete="off"
                />
                <Select
                  className={classes.role ?? ''}
                  aria-label={t('app', { number: index + 1 })}
                  data={apps.map(({ uid, name }) => ({ value: uid, label: name }))}
                  value={line.app}
                  onChange={(app) => {
                    const chosen = apps.find(({ uid }) => uid === app)
                    if (chosen) change(index, { app: chosen.uid, roleId: chosen.accessSettings.defaultRole })
                  }}
                  allowDeselect={false}
                />
                <AppRole
                  p={p}
                  line={line}
                  label={t('role', { number: index + 1 })}
                  onChange={(roleId) => change(index, { roleId })}
                />
                <div className={classes.actions}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('up', { name: line.name })}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  >
                    <IconArrowUp size={16} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('down', { name: line.name })}
                    disabled={index === lines.length - 1}
                    onClick={() => move(index, index + 1)}
                  >
                    <IconArrowDown size={16} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('remove', { name: line.name })}
                    onClick={() => set(lines.toSpliced(index, 1))}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                </div>
              </li>
            ))}
          </ol>
        )}
        {wrong && (
          <Text size="sm" c="red" role="alert">
            {wrong}
          </Text>
        )}
        {first && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={lines.length >= 500}
            onClick={() =>
              set([
                ...lines,
                appLineOf({ name: '', app: first.uid, roleId: first.accessSettings.defaultRole }),
              ])
            }
          >
            {t('add')}
          </Button>
        )}
      </Stack>
    </Section>
  )
}

interface AppRoleProps {
  p: string
  line: AppLine
  label: string
  onChange: (roleId: string) => void
}

function AppRole({ p, line, label, onChange }: AppRoleProps) {
  const roles = useRoleNames(useQuery(appRolesQuery(p, line.app)).data)
  return (
    <Select
      className={classes.role ?? ''}
      aria-label={label}
      data={roles.options(line.roleId)}
      value={line.roleId}
      onChange={(roleId) => roleId && onChange(roleId)}
      allowDeselect={false}
    />
  )
}
