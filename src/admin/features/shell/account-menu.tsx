import { type MantineColorScheme, Menu, UnstyledButton } from '@mantine/core'
import { IconKeyboard, IconLogout, IconSettings, IconUserCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { setAccount, useAccount } from '#admin/lib/session.ts'
import { type Language, languages } from '#shared/languages.ts'
import { firstCharacter } from '#shared/unicode.ts'
import classes from './rail.module.css'
import { openShortcutList } from './shortcut-list.tsx'

const schemes: MantineColorScheme[] = ['auto', 'light', 'dark']

/** The menu of the signed-in user: settings, keyboard shortcuts, language, colour scheme and signing out. */
export function AccountMenu({ collapsed }: { collapsed: boolean }) {
  const t = useTranslations('shell')
  const account = useAccount()
  const router = useRouter()
  const change = useMutation({
    mutationFn: async (data: { language?: Language; colorScheme?: MantineColorScheme }) => {
      if (!account) return
      const answer = await api('PUT /api/account/{id}', { params: { id: account._id }, body: { data } })
      setAccount(answer.account)
    },
  })
  const logOut = useMutation({
    mutationFn: () => api('POST /api/auth/logout', {}),
    onSuccess: async () => {
      setAccount(null)
      await router.navigate({ to: '/login' })
    },
  })

  if (!account) return null
  const name = account.name || account.email
  return (
    <Menu width={230} position="top-start" closeOnItemClick={false}>
      <Menu.Target>
        <UnstyledButton
          className={classes.button}
          {...(collapsed ? { 'aria-label': t('account', { name }) } : {})}
        >
          <span className={classes.avatar} aria-hidden="true">
            {account.icon ? <img src={account.icon.src} alt="" /> : firstCharacter(name).toUpperCase()}
          </span>
          <span className={classes.name}>{name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{account.email}</Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />} closeMenuOnClick>
          {t('accountSettings')}
        </Menu.Item>
        {account.isAdmin && (
          <Menu.Item component={Link} to="/admin" leftSection={<IconSettings size={16} />} closeMenuOnClick>
            {t('installation')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconKeyboard size={16} />}
          onClick={() => openShortcutList(t('shortcuts'))}
          closeMenuOnClick
        >
          {t('shortcuts')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup
          value={account.language}
          onChange={(language) => change.mutate({ language: language as Language })}
        >
          {languages.map((language) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {t(`languages.${language}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('colorScheme')}</Menu.Label>
        <Menu.RadioGroup
          value={account.colorScheme}
          onChange={(colorScheme) => change.mutate({ colorScheme: colorScheme as MantineColorScheme })}
        >
          {schemes.map((colorScheme) => (
            <Menu.RadioItem key={colorScheme} value={colorScheme}>
              {t(`schemes.${colorScheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logOut.mutate()} closeMenuOnClick>
          {t('logOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
